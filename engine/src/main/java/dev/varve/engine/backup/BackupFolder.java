package dev.varve.engine.backup;

import dev.varve.engine.home.HomeExport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A directory of backups. A file is stored once, under its checksum, however many backups have it.
 * One process writes at a time; several may read. A killed process leaves complete backups and at
 * most files that no backup names, which the next backup uses or removes.
 */
public final class BackupFolder implements AutoCloseable {
  /*
   * varve-backups         "varve-backups 1": the format; its lock is that of the folder
   * backups/ID            the manifests of complete backups
   * files/XX/SHA-256      contents; XX are the first two digits
   * unfinished            what a backup has stored so far: lines of a manifest
   */
  static final String MARK = "varve-backups";
  private static final String FORMAT = "varve-backups 1\n";
  static final String UNFINISHED = "unfinished";

  /** Pattern of the names of stored contents: their checksums. */
  private static final Pattern CHECKSUM = Pattern.compile("[0-9a-f]{64}");

  private static final String ID = "\\d{8}-\\d{6}(-\\d+)?";

  private final Path directory;
  private final @Nullable FileChannel mark;

  private BackupFolder(Path directory, @Nullable FileChannel mark) {
    this.directory = directory;
    this.mark = mark;
  }

  /**
   * Opens a directory for a new backup; makes it if it is missing or empty.
   *
   * @throws BackupException if it holds something else, lies in another directory of backups, leads
   *     elsewhere by a symbolic link, or another process writes to it
   */
  public static BackupFolder forWriting(Path directory) throws IOException {
    ensureApart(directory);
    Copy.makeDirectory(directory);
    Path mark = directory.resolve(MARK);
    if (!Files.exists(mark)) {
      ensureEmpty(directory);
      Copy.write(mark, FORMAT);
    }
    ensureFormat(directory);
    makeRealDirectory(directory.resolve("backups"));
    makeRealDirectory(directory.resolve("files"));
    return new BackupFolder(directory, lock(directory, false));
  }

  /** Checks that no directory above is one of backups, which would take the files for its own. */
  private static void ensureApart(Path directory) {
    Path above = directory.toAbsolutePath().normalize().getParent();
    while (above != null) {
      if (Files.exists(above.resolve(MARK))) {
        throw new BackupException(
            "%s lies in %s, which holds backups: name a directory beside it"
                .formatted(directory, above));
      }
      above = above.getParent();
    }
  }

  /**
   * Creates a directory inside that of the backups.
   *
   * @throws BackupException if a symbolic link is in its place
   */
  static void makeRealDirectory(Path directory) throws IOException {
    if (Files.isSymbolicLink(directory)) {
      throw new BackupException(
          "%s is a symbolic link, but backups are only written into real directories: replace it by what it leads to"
              .formatted(directory));
    }
    Copy.makeDirectory(directory);
  }

  private static void ensureEmpty(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      if (files.anyMatch(file -> !file.endsWith(MARK + ".new"))) {
        throw new BackupException(
            "%s is not empty and holds no backups: name an empty or a new directory"
                .formatted(directory));
      }
    }
  }

  /**
   * Opens a directory to read its backups.
   *
   * @throws BackupException if it holds none, or if a backup is being made
   */
  public static BackupFolder forReading(Path directory) throws IOException {
    ensureFormat(directory);
    return new BackupFolder(directory, lock(directory, true));
  }

  private static void ensureFormat(Path directory) throws IOException {
    String format;
    try {
      format = Files.readString(directory.resolve(MARK));
    } catch (NoSuchFileException e) {
      throw new BackupException(
          "there are no backups in '%s': 'varve backup --to DIR' makes one".formatted(directory));
    }
    if (!format.equals(FORMAT)) {
      throw new BackupException(
          "%s has format '%s', but this version reads '%s': use a later version"
              .formatted(directory.resolve(MARK), format.strip(), FORMAT.strip()));
    }
  }

  /** Locks a directory; a reader goes without a lock where it may not write. */
  private static @Nullable FileChannel lock(Path directory, boolean shared) throws IOException {
    Path file = directory.resolve(MARK);
    if (shared && !Files.isReadable(file)) {
      return null;
    }
    FileChannel channel =
        FileChannel.open(file, shared ? StandardOpenOption.READ : StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.tryLock(0, Long.MAX_VALUE, shared);
      if (lock != null) {
        return channel;
      }
    } catch (OverlappingFileLockException e) {
      // Another part of this process holds the lock.
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    channel.close();
    throw new BackupException(
        "%s is in use: another command makes or reads a backup there; try again when it has ended"
            .formatted(directory));
  }

  /** Returns all complete backups, oldest first. */
  public List<Backup> list() throws IOException {
    List<Backup> backups = new ArrayList<>();
    for (Path manifest : manifests()) {
      backups.add(Manifest.read(manifest, String.valueOf(manifest.getFileName())));
    }
    return backups;
  }

  /** Returns the latest backup whose manifest is not damaged; null if there is none. */
  @Nullable Backup latestReadable() throws IOException {
    for (Path manifest : manifests().reversed()) {
      try {
        return Manifest.read(manifest, String.valueOf(manifest.getFileName()));
      } catch (BackupException e) {
        LoggerFactory.getLogger(BackupFolder.class).warn("{}", e.getMessage());
      }
    }
    return null;
  }

  /** Returns the id of the latest backup; empty if there is none. */
  String lastId() throws IOException {
    List<Path> manifests = manifests();
    return manifests.isEmpty() ? "" : String.valueOf(manifests.getLast().getFileName());
  }

  private List<Path> manifests() throws IOException {
    return manifests(directory);
  }

  /** Returns the lists of files of the complete backups in a directory, oldest first. */
  static List<Path> manifests(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("backups"))) {
      return files.filter(file -> String.valueOf(file.getFileName()).matches(ID)).sorted().toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Finds a backup.
   *
   * @param id null for the latest
   * @throws BackupException if there is none
   */
  public Backup find(@Nullable String id) throws IOException {
    List<Path> manifests = manifests();
    if (manifests.isEmpty()) {
      throw new BackupException("%s holds no complete backup".formatted(directory));
    }
    for (Path manifest : id == null ? List.of(manifests.getLast()) : manifests) {
      String name = String.valueOf(manifest.getFileName());
      if (id == null || name.equals(id)) {
        return Manifest.read(manifest, name);
      }
    }
    throw new BackupException(
        "%s holds no backup '%s': 'varve backup list --from %s' shows what it holds"
            .formatted(directory, id, directory));
  }

  /** Starts a backup of a directory whose files do not change meanwhile. */
  public BackupRun start() throws IOException {
    return new BackupRun(this);
  }

  Path directory() {
    return directory;
  }

  Path manifest(String id) {
    return directory.resolve("backups").resolve(id);
  }

  /** Returns the path of the content with a checksum, whether or not it exists. */
  Path content(String checksum) {
    return directory.resolve("files").resolve(checksum.substring(0, 2)).resolve(checksum);
  }

  /**
   * Reads all files of a backup and returns the faults, in words; empty if there are none. Homes
   * are read as a restore would, since nothing else opens them.
   *
   * @throws IOException if the directory cannot be read
   */
  public List<String> verify(Backup backup, BackupProgress progress) throws IOException {
    List<String> problems = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    long bytes = 0;
    long files = 0;
    for (BackupFile file : backup.files()) {
      String problem = seen.add(file.checksum()) ? problem(file) : null;
      if (problem == null) {
        problem = problemOfHome(file);
      }
      if (problem != null) {
        problems.add(problem);
      }
      bytes += file.bytes();
      progress.at(++files, bytes, backup.bytes());
    }
    return problems;
  }

  private @Nullable String problem(BackupFile file) throws IOException {
    Path content = content(file.checksum());
    if (!Files.exists(content)) {
      return "%s: its content %s is missing".formatted(file.path(), content);
    }
    long bytes = Files.size(content);
    if (bytes != file.bytes()) {
      return "%s: its content %s has %,d bytes instead of %,d"
          .formatted(file.path(), content, bytes, file.bytes());
    }
    return Copy.checksum(content).equals(file.checksum())
        ? null
        : "%s: the checksum of its content %s does not match".formatted(file.path(), content);
  }

  private @Nullable String problemOfHome(BackupFile file) {
    String dataset = file.homeOf();
    if (dataset == null) {
      return null;
    }
    try {
      HomeExport.verify(content(file.checksum()), dataset);
      return null;
    } catch (IOException e) {
      return "%s: its content %s".formatted(file.path(), e.getMessage());
    }
  }

  /**
   * Deletes all but the latest backups, and every content that none of the others has.
   *
   * @param keep number of backups to keep, at least 1
   * @return the ids of the deleted backups
   */
  public List<String> purge(int keep) throws IOException {
    List<Path> manifests = manifests();
    List<String> deleted = new ArrayList<>();
    for (Path manifest : manifests.subList(0, Math.max(0, manifests.size() - keep))) {
      Files.delete(manifest);
      deleted.add(String.valueOf(manifest.getFileName()));
    }
    Copy.sync(directory.resolve("backups"));
    collect();
    return deleted;
  }

  /**
   * Deletes the contents that no backup names. A damaged manifest might name any content, so
   * nothing is deleted if there is one.
   */
  private void collect() throws IOException {
    Set<String> used = new HashSet<>();
    list().forEach(backup -> backup.files().forEach(file -> used.add(file.checksum())));
    for (Path folder : children(directory.resolve("files"))) {
      String digits = String.valueOf(folder.getFileName());
      if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
        for (Path file : children(folder)) {
          String name = String.valueOf(file.getFileName());
          // Whatever else is there belongs to somebody else.
          if (name.startsWith(digits) && CHECKSUM.matcher(name).matches() && !used.contains(name)) {
            Files.delete(file);
          }
        }
      }
    }
  }

  private static List<Path> children(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  @Override
  public void close() throws IOException {
    if (mark != null) {
      mark.close();
    }
  }
}

package dev.varve.engine.backup;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The making of one backup. It notes each stored file, so that a backup that follows a killed one
 * does not store it again. For one thread.
 */
public final class BackupRun {
  private static final DateTimeFormatter ID =
      DateTimeFormatter.ofPattern("uuuuMMdd-HHmmss").withZone(ZoneOffset.UTC);
  private static final String SNAPSHOT = "snapshot ";
  private static final String PARTIAL = ".partial";

  private final BackupFolder folder;
  private final Path unfinished;

  /** Before the snapshot is made, so that the backup lacks nothing that was deleted earlier. */
  private final Instant begun = Instant.now().truncatedTo(ChronoUnit.SECONDS);

  /** Files of the latest backup and of one that was not finished, by path. */
  private final Map<String, BackupFile> known = new HashMap<>();

  private @Nullable String leftSnapshot;
  private final List<BackupFile> files = new ArrayList<>();
  private long copied;

  BackupRun(BackupFolder folder) throws IOException {
    this.folder = folder;
    this.unfinished = folder.directory().resolve(BackupFolder.UNFINISHED);
    Backup before = folder.latestReadable();
    if (before != null) {
      before.files().forEach(file -> known.put(file.path(), file));
    }
    if (Files.exists(unfinished)) {
      List<BackupFile> stored = new ArrayList<>();
      for (String line : Files.readString(unfinished, StandardCharsets.UTF_8).lines().toList()) {
        if (line.startsWith(SNAPSHOT)) {
          leftSnapshot = line.substring(SNAPSHOT.length());
        } else {
          // The last line may be torn; then its file is stored again.
          Manifest.parse(line, stored);
        }
      }
      stored.forEach(file -> known.put(file.path(), file));
    }
  }

  /** Returns the snapshot that a killed backup has left; null if there is none. */
  public @Nullable String leftSnapshot() {
    return leftSnapshot;
  }

  /**
   * Records the snapshot that this backup copies, so that the next backup finds it after a kill.
   */
  public void noteSnapshot(String name) throws IOException {
    note(SNAPSHOT + name + "\n");
  }

  private void note(String line) throws IOException {
    Files.writeString(
        unfinished,
        line,
        StandardCharsets.UTF_8,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /**
   * Stores the files of a directory.
   *
   * @param prefix the folder of the backup into which they go, with a slash at the end; empty for
   *     its top
   */
  public void store(Path source, String prefix, BackupProgress progress) throws IOException {
    List<Path> found;
    try (Stream<Path> all = Files.walk(source)) {
      found = all.filter(Files::isRegularFile).sorted().toList();
    }
    long total = 0;
    for (Path file : found) {
      total += Files.size(file);
    }
    long bytes = 0;
    for (int i = 0; i < found.size(); i++) {
      Path file = found.get(i);
      String path = prefix + source.relativize(file).toString().replace('\\', '/');
      bytes += store(file, path).bytes();
      progress.at(i + 1, bytes, total);
    }
  }

  /** Stores one file under a path of the backup. */
  public BackupFile store(Path file, String path) throws IOException {
    long modified = Files.getLastModifiedTime(file).to(TimeUnit.NANOSECONDS);
    long bytes = Files.size(file);
    BackupFile before = known.get(path);
    if (before != null
        && before.isSameTableFile(path, bytes, modified)
        && isStored(before.checksum(), bytes)) {
      files.add(before);
      return before;
    }
    BackupFile stored = new BackupFile(path, bytes, copy(file, bytes), modified);
    files.add(stored);
    note(Manifest.line(stored));
    return stored;
  }

  private boolean isStored(String checksum, long bytes) throws IOException {
    Path content = folder.content(checksum);
    return Files.exists(content) && Files.size(content) == bytes;
  }

  private String copy(Path file, long bytes) throws IOException {
    Path partial = folder.directory().resolve("files").resolve("new" + PARTIAL);
    String checksum = Copy.copy(file, partial);
    copied += isStored(checksum, bytes) ? 0 : bytes;
    Path content = folder.content(checksum);
    BackupFolder.makeRealDirectory(Copy.parent(content));
    // The content that is there may be damaged.
    Files.move(partial, content, StandardCopyOption.ATOMIC_MOVE);
    Copy.sync(Copy.parent(content));
    return checksum;
  }

  /** Returns the bytes that this run has stored so far, without those that were there. */
  public long copied() {
    return copied;
  }

  /** Deletes the snapshot that was copied. */
  @FunctionalInterface
  interface Release {
    void run() throws IOException;
  }

  /**
   * Completes the backup.
   *
   * @param release called once the backup is complete. After a kill before its end, the next backup
   *     still finds the snapshot
   */
  Backup finish(Release release) throws IOException {
    String id = ID.format(begun);
    String last = folder.lastId();
    // Two backups of one second, or a clock that was set back, must not change the order.
    if (last.compareTo(id) >= 0) {
      id = after(last);
    }
    List<BackupFile> sorted =
        files.stream().sorted(Comparator.comparing(BackupFile::path)).toList();
    Backup backup = new Backup(id, begun, sorted);
    Copy.write(folder.manifest(id), Manifest.text(backup));
    Copy.sync(folder.directory());
    release.run();
    Files.deleteIfExists(unfinished);
    return backup;
  }

  /** Returns an id that is greater than another one. */
  static String after(String id) {
    String base = id.substring(0, 15);
    int number = id.length() > 16 ? Integer.parseInt(id.substring(16)) + 1 : 100_000;
    return base + "-" + number;
  }
}

package dev.varve.engine.backup;

import dev.varve.store.DirectoryTree;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Restores a backup into a directory that is missing or empty. Files go into a directory beside it,
 * {@code NAME.restoring}, and get their name once all of them are there and their checksums match.
 * A kill leaves nothing under the name, and the next restore starts again.
 */
public final class Restore {
  private static final String DRAFT = ".restoring";

  /** A file that marks a draft; the restore that fills the draft locks it. */
  private static final String MARK = "varve-restoring";

  private final BackupFolder folder;
  private final Backup backup;
  private final Path target;
  private final Path draft;
  private final boolean links;

  /**
   * Prepares to restore.
   *
   * @throws BackupException if the target is there and not empty
   */
  public Restore(BackupFolder folder, Backup backup, Path target) throws IOException {
    this(folder, backup, target, false);
  }

  private Restore(BackupFolder folder, Backup backup, Path target, boolean links)
      throws IOException {
    this.links = links;
    this.folder = folder;
    this.backup = backup;
    this.target = target.toAbsolutePath().normalize();
    this.draft = this.target.resolveSibling(this.target.getFileName() + DRAFT);
    ensureFree();
  }

  /**
   * Prepares to restore for a look at the backup. Where it can, it links the table files, which
   * nobody changes, to the backup, so that they take no space.
   */
  public static Restore linking(BackupFolder folder, Backup backup, Path target)
      throws IOException {
    return new Restore(folder, backup, target, true);
  }

  private void ensureFree() throws IOException {
    if (!Files.exists(target)) {
      return;
    }
    if (Files.isDirectory(target) && files(target).isEmpty()) {
      return;
    }
    throw new BackupException(
        "%s is there and not empty: nothing is overwritten; move it away or name another directory"
            .formatted(target));
  }

  /**
   * Restores.
   *
   * @throws BackupException if a file is missing or damaged; the target is unchanged then
   */
  public void run(BackupProgress progress) throws IOException {
    ensureFree();
    ensureReplaceable();
    prepare();
    try (FileChannel mark =
        FileChannel.open(
            draft.resolve(MARK), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      lock(mark);
      Set<Path> directories = new TreeSet<>();
      long bytes = 0;
      long files = 0;
      for (BackupFile file : backup.files()) {
        Path to = draft.resolve(file.path());
        if (directories.add(Copy.parent(to))) {
          Copy.makeDirectory(Copy.parent(to));
        }
        restore(file, to);
        bytes += file.bytes();
        progress.at(++files, bytes, backup.bytes());
      }
      for (Path directory : directories) {
        Copy.sync(directory);
      }
      ensureFree();
      // Replaces an empty directory, and fails if somebody has put something into it.
      Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
      Files.delete(target.resolve(MARK));
      Copy.sync(Copy.parent(target));
    }
  }

  /** Removes the files that a killed restore has left, its mark last. */
  private void prepare() throws IOException {
    Path mark = draft.resolve(MARK);
    if (Files.exists(mark)) {
      try (FileChannel channel = FileChannel.open(mark, StandardOpenOption.WRITE)) {
        lock(channel);
        for (Path file : files(draft)) {
          if (!file.equals(mark)) {
            DirectoryTree.delete(file);
          }
        }
      }
    } else if (Files.exists(draft) && !files(draft).isEmpty()) {
      throw new BackupException(
          "%s is there, and no restore has made it: move it away or name another directory"
              .formatted(draft));
    }
    Copy.makeDirectory(draft);
  }

  /**
   * Replaces an empty target by an empty directory, as the end of the restore will: that fails for
   * a mount point, which is better known before everything is copied.
   *
   * @throws BackupException if it cannot be replaced
   */
  private void ensureReplaceable() throws IOException {
    if (!Files.exists(target)) {
      return;
    }
    Path probe = Files.createTempDirectory(Copy.parent(target), "varve-restore");
    try {
      Files.move(probe, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      Files.delete(probe);
      throw new BackupException(
          "%s cannot be replaced, as a mount point cannot: name a directory below it (%s)"
              .formatted(target, e.getMessage()));
    }
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  private void lock(FileChannel mark) throws IOException {
    try {
      FileLock lock = mark.tryLock();
      if (lock != null) {
        return;
      }
    } catch (OverlappingFileLockException e) {
      // Another restore in this process.
    }
    throw new BackupException("another command restores into %s".formatted(target));
  }

  private void restore(BackupFile file, Path to) throws IOException {
    Path content = folder.content(file.checksum());
    if (!Files.exists(content)) {
      throw damaged(file, "its content %s is missing".formatted(content));
    }
    if (links && file.path().endsWith(".sst") && isLinked(content, to)) {
      return;
    }
    String checksum = Copy.copy(content, to);
    if (!checksum.equals(file.checksum()) || Files.size(to) != file.bytes()) {
      throw damaged(file, "the checksum of its content %s does not match".formatted(content));
    }
    Files.setLastModifiedTime(to, FileTime.from(file.modified(), TimeUnit.NANOSECONDS));
  }

  private static boolean isLinked(Path content, Path to) {
    try {
      Files.createLink(to, content);
      return true;
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  private BackupException damaged(BackupFile file, String why) {
    return new BackupException(
        "file %s of backup %s is damaged: %s. Nothing was restored; restore another backup"
            .formatted(file.path(), backup.id(), why));
  }
}

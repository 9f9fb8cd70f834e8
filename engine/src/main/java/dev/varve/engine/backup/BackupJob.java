package dev.varve.engine.backup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Takes a snapshot, stores it as a backup, and deletes the snapshot.
 *
 * @param to the directory of backups
 * @param configuration files that the backup holds in its folder {@code config}, by their paths
 *     there
 * @param keep number of backups to keep; 0 keeps all
 */
public record BackupJob(Path to, Map<String, Path> configuration, int keep) {
  public BackupJob {
    if (keep < 0) {
      throw new IllegalArgumentException("a negative number of backups to keep: " + keep);
    }
    configuration = Map.copyOf(configuration);
  }

  /**
   * The result.
   *
   * @param copied bytes that were copied
   * @param deleted ids of backups that were deleted
   */
  public record Outcome(Backup backup, long copied, List<String> deleted) {}

  /**
   * Returns a directory below another one, whatever links there are on the way.
   *
   * @param base null if the configuration names none
   * @param name relative to the base
   * @throws BackupException if the name leads elsewhere
   */
  public static Path below(@Nullable Path base, String name) throws IOException {
    if (base == null) {
      throw new BackupException(
          "the server writes no backups, because its configuration has no 'backup.directory'");
    }
    Copy.makeDirectory(base);
    Path root = base.toRealPath();
    Path to;
    try {
      to = root.resolve(name).normalize();
    } catch (InvalidPathException e) {
      throw new BackupException("'%s' is no path".formatted(name), e);
    }
    Path there = to;
    while (!Files.exists(there, LinkOption.NOFOLLOW_LINKS)) {
      there = Copy.parent(there);
    }
    if (!to.startsWith(root) || !isBelow(there, root)) {
      throw new BackupException(
          "'%s' is not below 'backup.directory', the only place where the server writes backups"
              .formatted(name));
    }
    return to;
  }

  private static boolean isBelow(Path existing, Path root) throws IOException {
    try {
      return existing.toRealPath().startsWith(root);
    } catch (NoSuchFileException e) {
      // A link that leads nowhere may lead anywhere once somebody makes its target.
      return false;
    }
  }

  /**
   * Makes the backup.
   *
   * @throws BackupException if the directory cannot be used
   * @throws IOException if a file cannot be read or written; the next backup continues from there
   */
  public Outcome run(SnapshotSource snapshots, BackupProgress progress) throws IOException {
    try (BackupFolder folder = BackupFolder.forWriting(to)) {
      BackupRun run = folder.start();
      String left = run.leftSnapshot();
      if (left != null) {
        snapshots.delete(left);
      }
      Backup backup = store(run, snapshots, progress);
      return new Outcome(backup, run.copied(), keep == 0 ? List.of() : folder.purge(keep));
    }
  }

  private Backup store(BackupRun run, SnapshotSource snapshots, BackupProgress progress)
      throws IOException {
    SnapshotSource.Taken snapshot = snapshots.create();
    try {
      run.noteSnapshot(snapshot.name());
      run.store(snapshot.directory(), "", progress);
      for (Map.Entry<String, Path> file : configuration.entrySet()) {
        run.store(file.getValue(), "config/" + file.getKey());
      }
      return run.finish(() -> snapshots.delete(snapshot.name()));
    } catch (IOException | RuntimeException e) {
      try {
        snapshots.delete(snapshot.name());
      } catch (RuntimeException another) {
        e.addSuppressed(another);
      }
      throw e;
    }
  }
}

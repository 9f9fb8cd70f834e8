package dev.varve.engine.backup;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Takes a snapshot, stores it as a backup, and deletes the snapshot.
 *
 * @param to the directory of backups
 * @param configuration files that the backup holds in its folder {@code config}
 * @param keep number of backups to keep, at least 1; 0 to keep all
 */
public record BackupJob(Path to, List<Path> configuration, int keep) {
  public BackupJob {
    configuration = List.copyOf(configuration);
  }

  /**
   * The result.
   *
   * @param copied bytes stored anew
   * @param deleted ids of backups that were deleted
   */
  public record Outcome(Backup backup, long copied, List<String> deleted) {}

  /**
   * Makes the backup.
   *
   * @throws BackupException if the directory cannot be used
   * @throws IOException if a file cannot be read or written; the next backup goes on from there
   */
  public Outcome run(SnapshotSource snapshots, BackupProgress progress) throws IOException {
    try (BackupFolder folder = BackupFolder.forWriting(to)) {
      BackupRun run = folder.start();
      String left = run.leftSnapshot();
      if (left != null) {
        snapshots.delete(left);
      }
      SnapshotSource.Taken snapshot = snapshots.create();
      try {
        run.noteSnapshot(snapshot.name());
        run.store(snapshot.directory(), "", progress);
        for (Path file : configuration) {
          run.store(file, "config/" + file.getFileName());
        }
        Backup backup = run.finish();
        return new Outcome(backup, run.copied(), keep == 0 ? List.of() : folder.purge(keep));
      } finally {
        snapshots.delete(snapshot.name());
      }
    }
  }
}

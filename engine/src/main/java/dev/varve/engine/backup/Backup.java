package dev.varve.engine.backup;

import java.time.Instant;
import java.util.List;

/**
 * A complete backup.
 *
 * @param id digits and hyphens; later backups have greater ones
 * @param created when it was begun: it has everything accepted before; for backups of builds that
 *     wrote version 1 of the list of files, when it ended
 * @param files sorted by path
 */
public record Backup(String id, Instant created, List<BackupFile> files) {
  public Backup {
    files = List.copyOf(files);
  }

  /** Returns the size of all files, whether or not other backups share them. */
  public long bytes() {
    return files.stream().mapToLong(BackupFile::bytes).sum();
  }
}

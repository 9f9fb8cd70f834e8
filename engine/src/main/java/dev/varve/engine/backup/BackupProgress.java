package dev.varve.engine.backup;

/** Receives the progress of work on a backup. */
@FunctionalInterface
public interface BackupProgress {
  BackupProgress NONE = (files, bytes, total) -> {};

  /**
   * Called after each file.
   *
   * @param files number of files that are done
   * @param bytes their bytes
   * @param total bytes of all files
   */
  void at(long files, long bytes, long total);
}

package dev.varve.engine.backup;

/**
 * A file of a backup.
 *
 * @param path within the backed-up directory, with slashes
 * @param checksum SHA-256 in 64 hexadecimal digits, by which the content is found
 * @param modified when the original was last modified, in nanoseconds since 1970
 */
public record BackupFile(String path, long bytes, String checksum, long modified) {
  /** Returns whether a file that RocksDB never changes is the same as this one. */
  boolean isSameTableFile(String path, long bytes, long modified) {
    return path.endsWith(".sst")
        && path.equals(this.path)
        && bytes == this.bytes
        && modified == this.modified;
  }
}

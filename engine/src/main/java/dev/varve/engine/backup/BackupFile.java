package dev.varve.engine.backup;

import dev.varve.engine.home.HomeExport;
import org.jspecify.annotations.Nullable;

/**
 * A file of a backup.
 *
 * @param path within the backed-up directory, with slashes
 * @param checksum SHA-256 in 64 hexadecimal digits, by which the content is found
 * @param modified when the original was last modified, in nanoseconds since 1970
 */
public record BackupFile(String path, long bytes, String checksum, long modified) {
  private static final String HOMES = HomeExport.FOLDER + "/";

  /** Returns the dataset whose home this is; null if it is something else. */
  public @Nullable String homeOf() {
    return path.startsWith(HOMES) ? HomeExport.datasetOf(path.substring(HOMES.length())) : null;
  }

  /** Returns whether a file that RocksDB never changes is the same as this one. */
  boolean isSameTableFile(String path, long bytes, long modified) {
    return path.endsWith(".sst")
        && path.equals(this.path)
        && bytes == this.bytes
        && modified == this.modified;
  }
}

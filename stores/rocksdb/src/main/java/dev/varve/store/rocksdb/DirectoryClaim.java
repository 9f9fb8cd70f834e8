package dev.varve.store.rocksdb;

import dev.varve.store.StoreException;
import dev.varve.store.rocksdb.wal.LogRecovery;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Prevents a directory from being opened twice in this process. RocksDB's own lock comes too late:
 * the logs are checked before RocksDB opens them, and that check takes and releases a process lock
 * on the same file, which would release RocksDB's lock.
 */
final class DirectoryClaim implements AutoCloseable {
  private static final Set<Path> CLAIMED = ConcurrentHashMap.newKeySet();

  private final Path directory;

  /**
   * Claims a directory.
   *
   * @throws StoreException if it is already claimed
   */
  DirectoryClaim(Path real) {
    if (!CLAIMED.add(real)) {
      throw LogRecovery.inUse(real);
    }
    this.directory = real;
  }

  @Override
  public void close() {
    CLAIMED.remove(directory);
  }
}

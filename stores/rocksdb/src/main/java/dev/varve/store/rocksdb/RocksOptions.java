package dev.varve.store.rocksdb;

import dev.varve.store.StoreException;
import dev.varve.store.adapter.OptionReader;
import java.util.Map;
import org.rocksdb.CompressionType;

/**
 * The settings of a RocksDB store.
 *
 * @param memoryBytes memory of caches and write buffers together, in bytes; at least 8 MB
 * @param readers number of threads for reads from virtual threads, 1 to 64
 * @param compression compression of all levels but the last; the last level uses zstd, or none if
 *     this is none
 * @param sync whether a synced write waits for the disk. If not, a power failure may lose the last
 *     second or more; a crash of the process still loses nothing
 */
record RocksOptions(long memoryBytes, int readers, Compression compression, boolean sync) {
  static final RocksOptions DEFAULTS =
      new RocksOptions(
          256L << 20,
          Math.max(2, Runtime.getRuntime().availableProcessors()),
          Compression.LZ4,
          true);

  private static final long MEMORY_MIN = 8L << 20;
  private static final int READERS_MAX = 64;

  enum Compression {
    NONE(CompressionType.NO_COMPRESSION, CompressionType.NO_COMPRESSION),
    LZ4(CompressionType.LZ4_COMPRESSION, CompressionType.ZSTD_COMPRESSION),
    ZSTD(CompressionType.ZSTD_COMPRESSION, CompressionType.ZSTD_COMPRESSION);

    final CompressionType upper;
    final CompressionType last;

    Compression(CompressionType upper, CompressionType last) {
      this.upper = upper;
      this.last = last;
    }
  }

  /**
   * Reads settings.
   *
   * @param memory default memory in bytes; at least 8 MB are used
   * @throws StoreException naming every setting that is unknown or out of range
   */
  static RocksOptions parse(long memory, Map<String, String> settings) {
    OptionReader reader = new OptionReader(RocksStore.KIND, settings);
    RocksOptions options =
        new RocksOptions(
            reader.bytes(
                "memory",
                MEMORY_MIN,
                "a size of 8MB at least, such as 256MB",
                Math.max(MEMORY_MIN, memory)),
            reader.number("readers", 1, READERS_MAX, DEFAULTS.readers),
            reader.choice("compression", Compression.values(), DEFAULTS.compression),
            reader.flag("sync", DEFAULTS.sync));
    reader.finish();
    return options;
  }
}

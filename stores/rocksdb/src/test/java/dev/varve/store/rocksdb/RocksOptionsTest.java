package dev.varve.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.store.StoreException;
import dev.varve.store.rocksdb.RocksOptions.Compression;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RocksOptionsTest {
  /** The default memory, in bytes. */
  private static final long SHARE = 256L << 20;

  @Test
  void defaults() {
    RocksOptions options = RocksOptions.parse(SHARE, Map.of());
    assertThat(options.memoryBytes()).isEqualTo(256L << 20);
    assertThat(options.readers()).isGreaterThanOrEqualTo(2);
    assertThat(options.compression()).isEqualTo(Compression.LZ4);
    assertThat(options.sync()).isTrue();
  }

  @Test
  void everyOptionIsRead() {
    assertThat(
            RocksOptions.parse(
                SHARE,
                Map.of("memory", "1 gb", "readers", "5", "compression", "none", "sync", "false")))
        .isEqualTo(new RocksOptions(1L << 30, 5, Compression.NONE, false));
    assertThat(RocksOptions.parse(SHARE, Map.of("memory", "16777216")).memoryBytes())
        .isEqualTo(16 << 20);
    assertThat(RocksOptions.parse(SHARE, Map.of("memory", "65536KB")).memoryBytes())
        .isEqualTo(64 << 20);
    assertThat(RocksOptions.parse(SHARE, Map.of("compression", "ZSTD")).compression())
        .isEqualTo(Compression.ZSTD);
  }

  @Test
  void unknownOptionNamesTheNearestOne() {
    assertThatThrownBy(() -> RocksOptions.parse(SHARE, Map.of("memmory", "1GB")))
        .isInstanceOf(StoreException.class)
        .hasMessage("rocksdb store: unknown option 'memmory' (did you mean 'memory'?)");
  }

  @Test
  void everyProblemIsSaidAtOnce() {
    assertThatThrownBy(() ->
            RocksOptions.parse(
                SHARE,
                Map.of(
                    "memory",
                    "4MB",
                    "reader",
                    "1",
                    "readers",
                    "0",
                    "compression",
                    "gzip",
                    "sync",
                    "yes")))
        .isInstanceOf(StoreException.class)
        .hasMessage(
            "rocksdb store: unknown option 'reader' (did you mean 'readers'?); option memory: '4MB' is"
                + " not a size of 8MB at least, such as 256MB; option readers: '0' is not a number"
                + " from 1 to 64; option compression: 'gzip' is not one of none, lz4, zstd; option sync:"
                + " 'yes' is not true or false");
  }

  @Test
  void noSizeOverflows() {
    assertThatThrownBy(() -> RocksOptions.parse(SHARE, Map.of("memory", "999999999999999GB")))
        .hasMessageContaining("memory");
  }
}

package dev.varve.server.prometheus;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.varve.model.GroupKey;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the keys of series by the bytes of their labels as they were sent, so that a known
 * series is found without decoding a label. Thread-safe.
 *
 * <p>A hit compares all bytes. The hash is seeded, so clients cannot choose labels that collide.
 */
final class KnownKeys {
  /** Memory of a remembered key in addition to its bytes and the key itself, in bytes. */
  private static final int OVERHEAD_BYTES = 150;

  private static final SecureRandom RANDOM = new SecureRandom();

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final long seed = RANDOM.nextLong();
  private final long secret = RANDOM.nextLong();
  private final Cache<LabelBytes, GroupKey> keys;

  /**
   * Creates an empty table.
   *
   * @param bytes memory that remembered keys may take
   */
  KnownKeys(long bytes) {
    this.keys =
        Caffeine.newBuilder()
            .maximumWeight(bytes)
            .<LabelBytes, GroupKey>weigher(
                (labels, key) -> OVERHEAD_BYTES + labels.length() + (int) key.byteCount())
            .build();
  }

  /** Bytes of labels in a message; remembered ones have an array of their own. */
  private record LabelBytes(byte[] bytes, int from, int to, int hash) {
    int length() {
      return to - from;
    }

    LabelBytes copy() {
      return new LabelBytes(Arrays.copyOfRange(bytes, from, to), 0, length(), hash);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof LabelBytes that
          && hash == that.hash
          && Arrays.equals(bytes, from, to, that.bytes, that.from, that.to);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  /** Returns the key of a series whose labels were sent as some bytes; null if it is unknown. */
  @Nullable GroupKey find(byte[] message, int from, int to) {
    return keys.getIfPresent(labels(message, from, to));
  }

  /** Remembers a key. */
  void remember(byte[] message, int from, int to, GroupKey key) {
    keys.put(labels(message, from, to).copy(), key);
  }

  private LabelBytes labels(byte[] message, int from, int to) {
    return new LabelBytes(message, from, to, hash(message, from, to));
  }

  /** Hashes 16 bytes at a time by folded products, as wyhash does. */
  private int hash(byte[] message, int from, int to) {
    long hash = seed ^ (to - from);
    int at = from;
    for (; to - at >= 16; at += 16) {
      hash = fold((long) LONG.get(message, at) ^ secret, (long) LONG.get(message, at + 8) ^ hash);
    }
    long first = 0;
    long second = 0;
    for (int i = at; i < to; i++) {
      if (i < at + 8) {
        first = (first << 8) | (message[i] & 0xff);
      } else {
        second = (second << 8) | (message[i] & 0xff);
      }
    }
    hash = fold(first ^ secret, second ^ hash);
    return (int) (hash ^ (hash >>> 32));
  }

  private static long fold(long a, long b) {
    return (a * b) ^ Math.unsignedMultiplyHigh(a, b);
  }
}

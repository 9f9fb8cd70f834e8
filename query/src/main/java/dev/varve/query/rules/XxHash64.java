package dev.varve.query.rules;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The hash XXH64 with seed 0, by its <a
 * href="https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md">specification</a>.
 */
final class XxHash64 {
  private static final long P1 = 0x9E3779B185EBCA87L;
  private static final long P2 = 0xC2B2AE3D27D4EB4FL;
  private static final long P3 = 0x165667B19E3779F9L;
  private static final long P4 = 0x85EBCA77C2B2AE63L;
  private static final long P5 = 0x27D4EB2F165667C5L;

  private XxHash64() {}

  static long of(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    long hash = bytes.length >= 32 ? stripes(in) : P5;
    hash += bytes.length;
    while (in.remaining() >= 8) {
      hash = Long.rotateLeft(hash ^ round(0, in.getLong()), 27) * P1 + P4;
    }
    if (in.remaining() >= 4) {
      hash = Long.rotateLeft(hash ^ Integer.toUnsignedLong(in.getInt()) * P1, 23) * P2 + P3;
    }
    while (in.hasRemaining()) {
      hash = Long.rotateLeft(hash ^ (in.get() & 0xFF) * P5, 11) * P1;
    }
    hash = (hash ^ hash >>> 33) * P2;
    hash = (hash ^ hash >>> 29) * P3;
    return hash ^ hash >>> 32;
  }

  private static long stripes(ByteBuffer in) {
    long a = P1;
    long b = P2;
    long c = 0;
    long d = -P1;
    // Computed at run time, because a constant expression must not overflow.
    a += b;
    while (in.remaining() >= 32) {
      a = round(a, in.getLong());
      b = round(b, in.getLong());
      c = round(c, in.getLong());
      d = round(d, in.getLong());
    }
    long hash =
        Long.rotateLeft(a, 1)
            + Long.rotateLeft(b, 7)
            + Long.rotateLeft(c, 12)
            + Long.rotateLeft(d, 18);
    for (long lane : new long[] {a, b, c, d}) {
      hash = (hash ^ round(0, lane)) * P1 + P4;
    }
    return hash;
  }

  private static long round(long lane, long input) {
    return Long.rotateLeft(lane + input * P2, 31) * P1;
  }
}

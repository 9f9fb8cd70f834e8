package dev.varve.layout.declared;

/**
 * The hash behind salts and hash parts, fixed for ever as {@code codec.hash} = 1: FNV-1a of 64 bits
 * over the bytes of the covered parts as they stand in the key, then the finaliser of MurmurHash3,
 * without which the leading bits of short keys hardly differ.
 */
final class KeyHash {
  static final int VERSION = 1;
  static final long START = 0xcbf29ce484222325L;
  private static final long PRIME = 0x100000001b3L;

  private KeyHash() {}

  /** Takes more bytes into a hash under way. */
  static long add(long hash, byte[] bytes, int from, int to) {
    long next = hash;
    for (int i = from; i < to; i++) {
      next = (next ^ (bytes[i] & 0xff)) * PRIME;
    }
    return next;
  }

  static long finish(long hash) {
    long mixed = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }

  /**
   * Which of {@code buckets} a hash falls into. A power of two takes the leading bits, so that
   * doubling the count splits every bucket into two neighbours; other counts take the floor
   * modulus, which is never negative.
   */
  static int bucket(long hash, int buckets) {
    int bits = Integer.numberOfTrailingZeros(buckets);
    if (buckets == (1 << bits)) {
      return bits == 0 ? 0 : (int) (hash >>> (64 - bits));
    }
    return Math.floorMod(hash, buckets);
  }
}

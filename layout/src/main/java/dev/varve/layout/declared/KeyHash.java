package dev.varve.layout.declared;

/**
 * The hash function for salts and hash parts, fixed forever as {@code codec.hash} = 1: 64-bit
 * FNV-1a over the bytes of the covered parts as they appear in the key, then the finaliser of
 * MurmurHash3. Without the finaliser, the leading bits of short keys hardly differ.
 */
final class KeyHash {
  static final int VERSION = 1;
  static final long START = 0xcbf29ce484222325L;
  private static final long PRIME = 0x100000001b3L;

  private KeyHash() {}

  /** Adds bytes to a hash in progress. */
  static long add(long hash, byte[] bytes, int from, int to) {
    long next = hash;
    for (int i = from; i < to; i++) {
      next = (next ^ (bytes[i] & 0xff)) * PRIME;
    }
    return next;
  }

  /** Mixes the bits of a hash, which ends it. */
  static long finish(long hash) {
    long mixed = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }

  /**
   * Maps a hash to one of {@code buckets} buckets. For a power of two it takes the leading bits, so
   * that doubling the count splits every bucket into two neighbours; otherwise it takes the floor
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

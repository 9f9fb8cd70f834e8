package dev.varve.engine.repair;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.varve.model.Bytes;

/**
 * A set of byte strings, represented by 128-bit hashes. Two arrays of longs are at most three
 * quarters full, so each string takes 22 to 43 bytes. Used by one thread at a time.
 *
 * <p>A hash collision is so improbable that it is ignored.
 */
final class SeenHashes {
  private static final int CAPACITY_AT_FIRST = 1024;

  private long[] highs = new long[CAPACITY_AT_FIRST];
  private long[] lows = new long[CAPACITY_AT_FIRST];
  private int size;

  /** The XXH3 hash of a byte string. A hash of zero marks a free slot, and counts as absent. */
  private record Hash(long high, long low) {
    private static Hash of(Bytes bytes) {
      HashValue128 hash = Hashing.xxh3_128().hashBytesTo128Bits(bytes.toArray());
      return new Hash(hash.getMostSignificantBits(), hash.getLeastSignificantBits());
    }
  }

  /** Returns whether a byte string was added. */
  boolean contains(Bytes bytes) {
    return !isFree(slot(Hash.of(bytes)));
  }

  /** Adds a byte string, if it is not in the set yet. */
  void add(Bytes bytes) {
    Hash hash = Hash.of(bytes);
    int slot = slot(hash);
    if (!isFree(slot)) {
      return;
    }
    if (4L * (size + 1) > 3L * highs.length) {
      grow();
      slot = slot(hash);
    }
    put(slot, hash);
    size++;
  }

  /** Returns the slot of a hash, or the free slot for it. */
  private int slot(Hash hash) {
    int mask = highs.length - 1;
    int slot = (int) hash.low() & mask;
    while (!isFree(slot) && (highs[slot] != hash.high() || lows[slot] != hash.low())) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private boolean isFree(int slot) {
    return highs[slot] == 0 && lows[slot] == 0;
  }

  private void put(int slot, Hash hash) {
    highs[slot] = hash.high();
    lows[slot] = hash.low();
  }

  private void grow() {
    long[] oldHighs = highs;
    long[] oldLows = lows;
    highs = new long[2 * oldHighs.length];
    lows = new long[2 * oldLows.length];
    for (int i = 0; i < oldHighs.length; i++) {
      Hash hash = new Hash(oldHighs[i], oldLows[i]);
      put(slot(hash), hash);
    }
  }
}

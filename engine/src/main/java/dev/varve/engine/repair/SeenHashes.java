package dev.varve.engine.repair;

import dev.varve.engine.catalog.SeriesIdentity;
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

  boolean contains(Bytes bytes) {
    return contains(SeriesIdentity.of(bytes.toArray()));
  }

  private boolean contains(SeriesIdentity hash) {
    int slot = slot(hash.high(), hash.low());
    return highs[slot] != 0 || lows[slot] != 0;
  }

  void add(Bytes bytes) {
    SeriesIdentity hash = SeriesIdentity.of(bytes.toArray());
    if (contains(hash)) {
      return;
    }
    if (4L * (size + 1) > 3L * highs.length) {
      grow();
    }
    int slot = slot(hash.high(), hash.low());
    highs[slot] = hash.high();
    lows[slot] = hash.low();
    size++;
  }

  /** Returns the slot of a hash, or the free slot for it. A hash of zero counts as absent. */
  private int slot(long high, long low) {
    int mask = highs.length - 1;
    int slot = (int) low & mask;
    while ((highs[slot] != 0 || lows[slot] != 0) && (highs[slot] != high || lows[slot] != low)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    long[] oldHighs = highs;
    long[] oldLows = lows;
    highs = new long[2 * oldHighs.length];
    lows = new long[2 * oldLows.length];
    for (int i = 0; i < oldHighs.length; i++) {
      if (oldHighs[i] != 0 || oldLows[i] != 0) {
        int slot = slot(oldHighs[i], oldLows[i]);
        highs[slot] = oldHighs[i];
        lows[slot] = oldLows[i];
      }
    }
  }
}

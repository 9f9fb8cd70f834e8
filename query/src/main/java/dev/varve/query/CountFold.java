package dev.varve.query;

import dev.varve.model.Samples;
import java.util.Arrays;

/** The number of samples. */
final class CountFold extends Fold {
  private long[] counts = {};

  @Override
  void reset(int slot) {
    if (slot >= counts.length) {
      counts = Arrays.copyOf(counts, capacity(slot));
    }
    counts[slot] = 0;
  }

  @Override
  void add(int slot, Samples samples, int from, int to) {
    counts[slot] += to - from;
  }

  @Override
  void emit(int slot, long time, Emitter out) {
    out.add(time, counts[slot]);
  }

  @Override
  int bytesPerSlot() {
    return 8;
  }
}

package dev.varve.query;

import dev.varve.model.Samples;
import java.util.Arrays;

/** The arithmetic mean. */
final class AverageFold extends SumFold {
  private long[] counts = {};

  @Override
  void reset(int slot) {
    super.reset(slot);
    if (slot >= counts.length) {
      counts = Arrays.copyOf(counts, capacity(slot));
    }
    counts[slot] = 0;
  }

  @Override
  void add(int slot, Samples samples, int from, int to) {
    super.add(slot, samples, from, to);
    counts[slot] += to - from;
  }

  @Override
  void emit(int slot, long time, Emitter out) {
    out.add(time, number(slot) / counts[slot]);
  }

  @Override
  int bytesPerSlot() {
    return 25;
  }
}

package dev.varve.query;

import dev.varve.model.Kind;
import dev.varve.model.Samples;
import java.util.Arrays;

/** The sum: an exact int64 while all samples are int64 and their sum fits, then a double. */
class SumFold extends Fold {
  private long[] wholes = {};
  private double[] reals = {};
  private boolean[] real = {};

  @Override
  void reset(int slot) {
    if (slot >= wholes.length) {
      wholes = Arrays.copyOf(wholes, capacity(slot));
      reals = Arrays.copyOf(reals, wholes.length);
      real = Arrays.copyOf(real, wholes.length);
    }
    wholes[slot] = 0;
    reals[slot] = 0;
    real[slot] = false;
  }

  @Override
  void add(int slot, Samples samples, int from, int to) {
    if (samples.kind() == Kind.DOUBLE) {
      double[] values = samples.doubles();
      if (!real[slot]) {
        reals[slot] = wholes[slot];
        real[slot] = true;
      }
      double total = reals[slot];
      for (int i = from; i < to; i++) {
        total += values[i];
      }
      reals[slot] = total;
    } else {
      addLongs(slot, samples.longs(), from, to);
    }
  }

  private void addLongs(int slot, long[] values, int from, int to) {
    int i = from;
    if (!real[slot]) {
      long total = wholes[slot];
      for (; i < to; i++) {
        long sum = total + values[i];
        if (((total ^ sum) & (values[i] ^ sum)) < 0) {
          reals[slot] = total;
          real[slot] = true;
          break;
        }
        total = sum;
      }
      wholes[slot] = total;
    }
    double total = reals[slot];
    for (; i < to; i++) {
      total += values[i];
    }
    reals[slot] = total;
  }

  double number(int slot) {
    return real[slot] ? reals[slot] : wholes[slot];
  }

  @Override
  void emit(int slot, long time, Emitter out) {
    if (real[slot]) {
      out.add(time, reals[slot]);
    } else {
      out.add(time, wholes[slot]);
    }
  }

  @Override
  int bytesPerSlot() {
    return 17;
  }
}

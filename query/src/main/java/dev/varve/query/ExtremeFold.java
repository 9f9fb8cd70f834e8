package dev.varve.query;

import dev.varve.model.Kind;
import dev.varve.model.Samples;
import java.util.Arrays;

/** The minimum or maximum, in the kind of its sample. */
final class ExtremeFold extends Fold {
  private static final byte EMPTY = 0;
  private static final byte WHOLE = 1;
  private static final byte REAL = 2;

  private final boolean greatest;
  private double[] numbers = {};
  private long[] wholes = {};
  private byte[] state = {};

  ExtremeFold(boolean greatest) {
    this.greatest = greatest;
  }

  @Override
  void reset(int slot) {
    if (slot >= state.length) {
      state = Arrays.copyOf(state, capacity(slot));
      numbers = Arrays.copyOf(numbers, state.length);
      wholes = Arrays.copyOf(wholes, state.length);
    }
    state[slot] = EMPTY;
  }

  @Override
  void add(int slot, Samples samples, int from, int to) {
    if (samples.kind() == Kind.DOUBLE) {
      double best = bestOf(samples.doubles(), from, to);
      if (state[slot] == EMPTY || beats(best, numbers[slot])) {
        numbers[slot] = best;
        state[slot] = REAL;
      }
    } else {
      long best = bestOf(samples.longs(), from, to);
      boolean wins =
          switch (state[slot]) {
            case WHOLE -> greatest ? best > wholes[slot] : best < wholes[slot];
            case REAL -> beats((double) best, numbers[slot]);
            default -> true;
          };
      if (wins) {
        wholes[slot] = best;
        numbers[slot] = best;
        state[slot] = WHOLE;
      }
    }
  }

  private double bestOf(double[] values, int from, int to) {
    double best = values[from];
    for (int i = from + 1; i < to; i++) {
      if (beats(values[i], best)) {
        best = values[i];
      }
    }
    return best;
  }

  private long bestOf(long[] values, int from, int to) {
    long best = values[from];
    for (int i = from + 1; i < to; i++) {
      best = greatest ? Math.max(best, values[i]) : Math.min(best, values[i]);
    }
    return best;
  }

  private boolean beats(double candidate, double best) {
    if (candidate == best) {
      // -0.0 is less than 0.0, as for Math.min and Math.max.
      return candidate == 0 && Double.compare(candidate, best) == (greatest ? 1 : -1);
    }
    return (greatest ? candidate > best : candidate < best) || Double.isNaN(best);
  }

  @Override
  void emit(int slot, long time, Emitter out) {
    if (state[slot] == WHOLE) {
      out.add(time, wholes[slot]);
    } else {
      out.add(time, numbers[slot]);
    }
  }

  @Override
  int bytesPerSlot() {
    return 17;
  }
}

package dev.varve.query;

import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.query.running.QueryUse;
import java.util.Arrays;

/**
 * Partial results of one aggregation, stored in columns with one slot per result in progress. A
 * slot must be {@link #reset} before its first use.
 */
abstract class Fold {
  static Fold of(Aggregation aggregation, Resolution resolution, QueryUse use) {
    return switch (aggregation) {
      case Aggregation.Basic basic ->
          switch (basic) {
            case AVG -> new Average();
            case SUM -> new Sum();
            case MIN -> new Extreme(false);
            case MAX -> new Extreme(true);
            case COUNT -> new Count();
            case FIRST -> new Pick(true);
            case LAST -> new Pick(false);
            case RATE -> new CounterRate(resolution.perSecond());
            case LEAST_SQUARES -> new Line();
          };
      case Aggregation.Deviation deviation -> new Spread(deviation);
      case Aggregation.Percentile percentile -> new Quantile(percentile, use);
    };
  }

  /** Empties a slot. */
  abstract void reset(int slot);

  /** Adds samples {@code from} (inclusive) to {@code to} (exclusive) to a slot. */
  abstract void add(int slot, Samples samples, int from, int to);

  /** Emits the result of a slot, which must have received at least one sample. */
  abstract void emit(int slot, long time, Emitter out);

  /**
   * Returns the approximate size of a slot in bytes, without the values that a percentile holds.
   */
  abstract int bytesPerSlot();

  /** Starts another series; for folds that look across windows. */
  void beginSeries() {}

  static int capacity(int slot) {
    return Math.max(16, slot + (slot >> 1) + 1);
  }

  private static final class Count extends Fold {
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

  /** An exact int64 while all samples are int64 and their sum fits, then a double. */
  private static class Sum extends Fold {
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

  private static final class Average extends Sum {
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

  /** The minimum or maximum, in the kind of its sample. */
  private static final class Extreme extends Fold {
    private final boolean greatest;
    private double[] numbers = {};
    private long[] wholes = {};
    private byte[] state = {};

    private static final byte EMPTY = 0;
    private static final byte WHOLE = 1;
    private static final byte REAL = 2;

    Extreme(boolean greatest) {
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

  /** The first or the last sample, in its kind. */
  private static final class Pick extends Fold {
    private static final byte[] NO_TEXT = {};

    private final boolean first;
    private Kind[] kinds = {};
    private boolean[] taken = {};
    private double[] reals = {};
    private long[] wholes = {};
    private byte[][] texts = {};

    Pick(boolean first) {
      this.first = first;
    }

    @Override
    void reset(int slot) {
      if (slot >= kinds.length) {
        int length = capacity(slot);
        int old = kinds.length;
        kinds = Arrays.copyOf(kinds, length);
        taken = Arrays.copyOf(taken, length);
        reals = Arrays.copyOf(reals, length);
        wholes = Arrays.copyOf(wholes, length);
        texts = Arrays.copyOf(texts, length);
        Arrays.fill(texts, old, length, NO_TEXT);
      }
      taken[slot] = false;
    }

    @Override
    void add(int slot, Samples samples, int from, int to) {
      if (first && taken[slot]) {
        return;
      }
      int index = first ? from : to - 1;
      taken[slot] = true;
      kinds[slot] = samples.kind();
      switch (samples.kind()) {
        case DOUBLE -> reals[slot] = samples.doubleAt(index);
        case INT64 -> wholes[slot] = samples.longAt(index);
        case STRING ->
            texts[slot] =
                Arrays.copyOfRange(
                    samples.text(), samples.textStart(index), samples.textEnd(index));
      }
    }

    @Override
    void emit(int slot, long time, Emitter out) {
      switch (kinds[slot]) {
        case DOUBLE -> out.add(time, reals[slot]);
        case INT64 -> out.add(time, wholes[slot]);
        case STRING -> out.add(time, texts[slot]);
      }
    }

    @Override
    int bytesPerSlot() {
      return 29;
    }
  }

  /** Mean and deviation by Welford's online algorithm (Technometrics 4, 1962). */
  private static final class Spread extends Fold {
    private final Aggregation.Deviation deviation;
    private long[] counts = {};
    private double[] means = {};
    private double[] squares = {};

    Spread(Aggregation.Deviation deviation) {
      this.deviation = deviation;
    }

    @Override
    void reset(int slot) {
      if (slot >= counts.length) {
        counts = Arrays.copyOf(counts, capacity(slot));
        means = Arrays.copyOf(means, counts.length);
        squares = Arrays.copyOf(squares, counts.length);
      }
      counts[slot] = 0;
      means[slot] = 0;
      squares[slot] = 0;
    }

    @Override
    void add(int slot, Samples samples, int from, int to) {
      long count = counts[slot];
      double mean = means[slot];
      double square = squares[slot];
      for (int i = from; i < to; i++) {
        double value = samples.number(i);
        count++;
        double delta = value - mean;
        mean += delta / count;
        square += delta * (value - mean);
      }
      counts[slot] = count;
      means[slot] = mean;
      squares[slot] = square;
    }

    @Override
    void emit(int slot, long time, Emitter out) {
      long divisor = deviation.sample() ? counts[slot] - 1 : counts[slot];
      double spread = divisor == 0 ? 0 : Math.sqrt(squares[slot] / divisor);
      out.add(time, deviation.ofMean() * means[slot] + deviation.factor() * spread);
    }

    @Override
    int bytesPerSlot() {
      return 24;
    }
  }

  /**
   * Holds all values of a slot. If they no longer fit into memory, it keeps counting, so that the
   * error can say how much memory would have been needed.
   */
  private static final class Quantile extends Fold {
    private static final double[] NONE = {};

    private final Aggregation.Percentile percentile;
    private final QueryUse use;
    private final Memory memory;
    private double[][] values = {};
    private long[] counts = {};
    private boolean overflown;
    private long total;

    Quantile(Aggregation.Percentile percentile, QueryUse use) {
      this.percentile = percentile;
      this.use = use;
      this.memory = use.memory();
    }

    @Override
    void reset(int slot) {
      if (slot >= counts.length) {
        int old = counts.length;
        counts = Arrays.copyOf(counts, capacity(slot));
        values = Arrays.copyOf(values, counts.length);
        Arrays.fill(values, old, values.length, NONE);
      }
      total -= counts[slot];
      counts[slot] = 0;
    }

    @Override
    void add(int slot, Samples samples, int from, int to) {
      int count = to - from;
      total += count;
      if (!overflown && !reserve(slot, counts[slot] + count)) {
        overflown = true;
      }
      if (!overflown) {
        double[] target = values[slot];
        int at = (int) counts[slot];
        for (int i = from; i < to; i++) {
          target[at++] = samples.number(i);
        }
      }
      counts[slot] += count;
    }

    private boolean reserve(int slot, long wanted) {
      int have = values[slot].length;
      if (wanted <= have) {
        return true;
      }
      long length = Math.min(Math.max(wanted, 2L * have), Integer.MAX_VALUE - 8);
      if (wanted > length || !memory.tryHold(8 * (length - have))) {
        // Doubling may exceed the limit although the values alone fit.
        length = wanted;
        if (wanted > Integer.MAX_VALUE - 8 || !memory.tryHold(8 * (length - have))) {
          return false;
        }
      }
      values[slot] = Arrays.copyOf(values[slot], (int) length);
      return true;
    }

    @Override
    void emit(int slot, long time, Emitter out) {
      if (overflown) {
        throw new dev.varve.engine.QueryRefusedException(
            "an exact percentile holds every value: this one needs %d values at once, %s, and a query may hold %s; make the windows or the groups smaller, or let queries hold more"
                .formatted(total, Memory.size(8 * total), Memory.size(memory.max())));
      }
      int n = (int) counts[slot];
      double[] sorted = values[slot];
      Sorting.sort(sorted, n, use::giveWay);
      out.add(time, at(sorted, n));
    }

    private double at(double[] sorted, int n) {
      double place =
          switch (percentile.rank()) {
            case N_MINUS_1 -> percentile.fraction() * (n - 1);
            case N_PLUS_1 -> percentile.fraction() * (n + 1) - 1;
          };
      if (place <= 0) {
        return sorted[0];
      }
      if (place >= n - 1) {
        return sorted[n - 1];
      }
      int below = (int) place;
      return sorted[below] + (place - below) * (sorted[below + 1] - sorted[below]);
    }

    @Override
    int bytesPerSlot() {
      return 24;
    }
  }

  /** Increase over time within one series. The last sample before a window counts as its first. */
  private static final class CounterRate extends Fold {
    private boolean seen;
    private long lastTime;
    private double lastValue;
    private boolean rising;
    private long firstTime;
    private double increase;
    private final double perSecond;

    CounterRate(long perSecond) {
      this.perSecond = perSecond;
    }

    @Override
    void beginSeries() {
      seen = false;
    }

    @Override
    void reset(int slot) {
      rising = false;
      increase = 0;
    }

    @Override
    void add(int slot, Samples samples, int from, int to) {
      for (int i = from; i < to; i++) {
        long time = samples.time(i);
        double value = samples.number(i);
        if (seen && time > lastTime) {
          if (!rising) {
            rising = true;
            firstTime = lastTime;
          }
          increase += value >= lastValue ? value - lastValue : value;
        }
        seen = true;
        lastTime = time;
        lastValue = value;
      }
    }

    @Override
    void emit(int slot, long time, Emitter out) {
      if (rising) {
        out.add(time, increase * perSecond / (lastTime - firstTime));
      }
    }

    @Override
    int bytesPerSlot() {
      return 0;
    }
  }

  /** Simple linear regression, centred on running means to avoid cancellation with large times. */
  private static final class Line extends Fold {
    private long count;
    private long firstTime;
    private long lastTime;
    private double meanTime;
    private double meanValue;
    private double timeSquares;
    private double products;
    private double firstValue;
    private double lastValue;

    @Override
    void reset(int slot) {
      count = 0;
      meanTime = 0;
      meanValue = 0;
      timeSquares = 0;
      products = 0;
    }

    @Override
    void add(int slot, Samples samples, int from, int to) {
      for (int i = from; i < to; i++) {
        long time = samples.time(i);
        double value = samples.number(i);
        if (count == 0) {
          firstTime = time;
          firstValue = value;
        }
        lastTime = time;
        lastValue = value;
        count++;
        // Times are relative to the first one, which keeps their squares small.
        double x = (double) time - firstTime;
        double dx = x - meanTime;
        double dy = value - meanValue;
        meanTime += dx / count;
        meanValue += dy / count;
        timeSquares += dx * (x - meanTime);
        products += dx * (value - meanValue);
      }
    }

    @Override
    void emit(int slot, long time, Emitter out) {
      if (count <= 2) {
        out.add(firstTime, firstValue);
        if (count == 2) {
          out.add(lastTime, lastValue);
        }
        return;
      }
      double slope = products / timeSquares;
      out.add(firstTime, meanValue - slope * meanTime);
      out.add(lastTime, meanValue + slope * ((double) lastTime - firstTime - meanTime));
    }

    @Override
    int bytesPerSlot() {
      return 0;
    }
  }
}

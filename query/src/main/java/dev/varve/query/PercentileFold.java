package dev.varve.query;

import dev.varve.engine.error.OverloadedException;
import dev.varve.model.Samples;
import dev.varve.query.limit.Memory;
import dev.varve.query.limit.QueryLimitException;
import dev.varve.query.running.QueryUse;
import java.time.Duration;
import java.util.Arrays;

/**
 * An exact percentile, for which a slot holds all its values. If they no longer fit into memory,
 * the fold keeps counting, so that the error can say how much memory would have been needed.
 */
final class PercentileFold extends Fold {
  private static final double[] NONE = {};
  private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

  private final Aggregation.Percentile percentile;
  private final QueryUse use;
  private final Memory memory;
  private double[][] values = {};
  private long[] counts = {};
  private boolean overflowed;

  /** Whether other queries held the memory that was missing. */
  private boolean crowded;

  private long total;

  PercentileFold(Aggregation.Percentile percentile, QueryUse use) {
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
    if (!overflowed && !reserve(slot, counts[slot] + count)) {
      overflowed = true;
    }
    if (!overflowed) {
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
        crowded = memory.held() + 8 * (length - have) <= memory.max();
        return false;
      }
    }
    values[slot] = Arrays.copyOf(values[slot], (int) length);
    return true;
  }

  @Override
  void emit(int slot, long time, Emitter out) {
    if (overflowed) {
      throw tooMany();
    }
    int n = (int) counts[slot];
    double[] sorted = values[slot];
    Sorting.sort(sorted, n, use::giveWay);
    out.add(time, at(sorted, n));
  }

  private RuntimeException tooMany() {
    String need =
        "an exact percentile holds every value: this one needs %d values at once, %s"
            .formatted(total, Memory.size(8 * total));
    return crowded && 8 * total <= memory.max()
        ? new OverloadedException(
            need + ", and other queries hold the memory; retry when they have ended", RETRY_AFTER)
        : new QueryLimitException(
            need
                + ", and a query may hold %s; make the windows or the groups smaller, or let queries hold more"
                    .formatted(Memory.size(memory.max())));
  }

  private double at(double[] sorted, int n) {
    double rank =
        switch (percentile.rank()) {
          case N_MINUS_1 -> percentile.fraction() * (n - 1);
          case N_PLUS_1 -> percentile.fraction() * (n + 1) - 1;
        };
    if (rank <= 0) {
      return sorted[0];
    }
    if (rank >= n - 1) {
      return sorted[n - 1];
    }
    int below = (int) rank;
    return sorted[below] + (rank - below) * (sorted[below + 1] - sorted[below]);
  }

  @Override
  int bytesPerSlot() {
    return 24;
  }
}

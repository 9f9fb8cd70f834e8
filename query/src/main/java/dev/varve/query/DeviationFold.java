package dev.varve.query;

import dev.varve.model.Samples;
import java.util.Arrays;

/** Mean and standard deviation by Welford's online algorithm (Technometrics 4, 1962). */
final class DeviationFold extends Fold {
  private final Aggregation.Deviation deviation;
  private long[] counts = {};
  private double[] means = {};
  private double[] squares = {};

  DeviationFold(Aggregation.Deviation deviation) {
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

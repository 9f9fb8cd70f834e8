package dev.varve.query;

import dev.varve.model.Resolution;
import dev.varve.model.Samples;

/** Simple linear regression, centred on running means to avoid cancellation with large times. */
final class LineFold extends Fold {
  private long count;
  private long firstTime;
  private long lastTime;
  private double meanTime;
  private double meanValue;
  private double timeSquares;
  private double products;
  private double firstValue;
  private double lastValue;
  private final Resolution resolution;

  LineFold(Resolution resolution) {
    this.resolution = resolution;
  }

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
      double x = resolution.millis(time - firstTime);
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
    out.add(lastTime, meanValue + slope * (resolution.millis(lastTime - firstTime) - meanTime));
  }

  @Override
  int bytesPerSlot() {
    return 0;
  }
}

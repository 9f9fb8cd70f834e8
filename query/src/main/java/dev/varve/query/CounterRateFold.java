package dev.varve.query;

import dev.varve.model.Resolution;
import dev.varve.model.Samples;

/** Increase over time within one series. The last sample before a window counts as its first. */
final class CounterRateFold extends Fold {
  private boolean seen;
  private long lastTime;
  private double lastValue;
  private boolean rising;
  private long firstTime;
  private double increase;
  private final Resolution resolution;

  CounterRateFold(Resolution resolution) {
    this.resolution = resolution;
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
      out.add(time, increase * 1000 / resolution.millis(lastTime - firstTime));
    }
  }

  @Override
  int bytesPerSlot() {
    return 0;
  }
}

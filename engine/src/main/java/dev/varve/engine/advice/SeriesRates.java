package dev.varve.engine.advice;

import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.model.GroupKey;
import dev.varve.model.TimeRange;
import java.util.ArrayList;
import java.util.List;

/**
 * The rates at which series grow, according to the catalog: those of all series, or of a sample
 * that represents the others.
 *
 * @param scale number of series that each rate represents
 * @param extent times of all samples, in the resolution of the dataset; empty if there are none
 */
record SeriesRates(List<Rate> rates, double scale, TimeRange extent) {
  private static final int SERIES_MAX = 4_000;

  SeriesRates {
    rates = List.copyOf(rates);
  }

  /**
   * A series.
   *
   * @param perTick samples in a unit of the dataset's resolution
   */
  record Rate(GroupKey key, double perTick, long samples) {}

  static SeriesRates of(OpenDataset dataset) {
    SeriesIndex index = dataset.index();
    int size = index.size();
    int step = Math.max(1, Math.ceilDiv(size, SERIES_MAX));
    double least = 60.0 * dataset.resolution().perSecond();
    long now = dataset.now() + 1;
    List<Rate> rates = new ArrayList<>();
    for (int series = 0; series < size; series += step) {
      TimeRange extent = index.extent(series);
      long samples = index.count(series);
      if (!extent.isEmpty() && samples > 0) {
        // Stored extents end ahead of the newest sample, so that they are rarely rewritten.
        TimeRange past = upTo(now, extent);
        double length = Math.max(least, (double) past.to() - past.from());
        rates.add(new Rate(index.key(series), samples / length, samples));
      }
    }
    return new SeriesRates(
        rates, step, size == 0 ? new TimeRange(0, 0) : upTo(now, index.extent()));
  }

  private static TimeRange upTo(long now, TimeRange extent) {
    return extent.from() < now ? new TimeRange(extent.from(), Math.min(extent.to(), now)) : extent;
  }
}

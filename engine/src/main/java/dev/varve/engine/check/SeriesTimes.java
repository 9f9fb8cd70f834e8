package dev.varve.engine.check;

import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Collects series, by their durable numbers, with the times of their affected samples. */
public final class SeriesTimes {
  private static final int LISTED_MAX = 1000;

  private final String dataset;
  private final SeriesIndex index;
  private final Resolution resolution;
  private final TreeMap<Integer, TimeRange> times = new TreeMap<>();

  public SeriesTimes(String dataset, SeriesIndex index, Resolution resolution) {
    this.dataset = dataset;
    this.index = index;
    this.resolution = resolution;
  }

  /**
   * Adds samples of a series. Does nothing if the catalog lacks it.
   *
   * @param series its durable number
   * @param first the first time
   * @param last the last time
   */
  public void add(int series, long first, long last) {
    if (index.numbers().key(series) >= 0) {
      times.merge(
          series,
          new TimeRange(first, last),
          (a, b) -> new TimeRange(Math.min(a.from(), b.from()), Math.max(a.to(), b.to())));
    }
  }

  /** Returns the series, at most 1,000. */
  public List<AffectedSeries> listed() {
    List<AffectedSeries> listed = new ArrayList<>();
    times.entrySet().stream()
        .limit(LISTED_MAX)
        .forEach(one ->
            listed.add(
                new AffectedSeries(
                    dataset,
                    name(one.getKey()),
                    instant(one.getValue().from()),
                    instant(one.getValue().to()))));
    return listed;
  }

  /** Returns the total number of series. */
  public long count() {
    return times.size();
  }

  private String name(int series) {
    String field = index.numbers().field(series);
    return index.key(index.numbers().key(series)).field(field).toString();
  }

  private Instant instant(long time) {
    return resolution.instant(time);
  }
}

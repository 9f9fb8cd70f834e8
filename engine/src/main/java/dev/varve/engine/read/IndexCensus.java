package dev.varve.engine.read;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.layout.Binding;
import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.layout.plan.Census;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Estimates from the catalog, for one plan. Used by one thread. */
final class IndexCensus implements Census {
  /** Maximum time by which samples of another server are ahead of the clock, in seconds. */
  private static final long AHEAD_SECONDS = 2 * 24 * 3600;

  private final OpenDataset dataset;
  private final SeriesIndex index;
  private final Layout layout;
  private final boolean timesKnown;
  private final int @Nullable [] series;
  private final long now;

  /** The last key looked up. A plan makes several consecutive requests for each key. */
  private @Nullable GroupKey lastKey;

  private int lastSeries;

  /** Creates a census for a plan that is run, which must find samples of the future, too. */
  IndexCensus(OpenDataset dataset, Layout layout, int @Nullable [] series, boolean attributes) {
    this(dataset, layout, series, attributes, Long.MAX_VALUE);
  }

  /**
   * Creates a census for one layout.
   *
   * @param series numbers in the catalog of the planned series, whose extents bound the plan; null
   *     for no bound
   * @param attributes whether attributes are read, whose times are unknown
   * @param now the time after which no sample is counted
   */
  IndexCensus(
      OpenDataset dataset, Layout layout, int @Nullable [] series, boolean attributes, long now) {
    this.series = series;
    this.dataset = dataset;
    this.index = dataset.index();
    this.layout = layout;
    this.now = now;
    this.timesKnown = !attributes && dataset.trustsExtents();
  }

  private int find(GroupKey key) {
    if (!key.equals(lastKey)) {
      lastSeries = index.find(SeriesIdentity.of(key));
      lastKey = key;
    }
    return lastSeries;
  }

  @Override
  public OptionalLong series(String metric, List<TagFilter> filters, @Nullable TimeRange times) {
    Selector selector = Selector.metric(metric, filters.toArray(TagFilter[]::new));
    return OptionalLong.of(index.count(selector, timesKnown ? times : null));
  }

  /** Assumes that the samples of a key are spread evenly over its extent. */
  @Override
  public OptionalLong cells(Binding binding, TimeRange times) {
    int series = find(binding.key());
    if (series < 0 || !timesKnown) {
      return OptionalLong.empty();
    }
    TimeRange extent = upToNow(index.extent(series));
    if (extent.isEmpty()) {
      return OptionalLong.of(0);
    }
    if (index.count(series) == 0) {
      return OptionalLong.empty();
    }
    double share = length(extent.intersect(times)) / length(extent);
    return OptionalLong.of((long) Math.ceil(share * index.count(series)));
  }

  /**
   * Returns an extent up to now. Stored extents end in the future, so that they are rarely
   * rewritten.
   */
  private TimeRange upToNow(TimeRange extent) {
    return extent.from() < now ? new TimeRange(extent.from(), Math.min(extent.to(), now)) : extent;
  }

  /** Assumes that a key has a row in every bucket of its extent, but no more rows than samples. */
  @Override
  public OptionalLong buckets(Binding binding, TimeRange times) {
    int series = find(binding.key());
    KeyPart.Time part = lastTime();
    if (series < 0 || !timesKnown) {
      return OptionalLong.empty();
    }
    TimeRange extent = upToNow(index.extent(series)).intersect(times);
    if (extent.isEmpty()) {
      return OptionalLong.of(0);
    }
    if (part == null) {
      return OptionalLong.of(1);
    }
    OptionalLong cells = cells(binding, times);
    if (part.instant()) {
      return cells;
    }
    long first = part.floor(extent.from());
    double width = (double) part.next(first) - first;
    double buckets = Math.ceil(length(extent) / width) + 1;
    return OptionalLong.of(
        Math.clamp((long) buckets, 1, Math.max(1, cells.orElse(Long.MAX_VALUE))));
  }

  /**
   * Returns the combined extent of the series. Another server may have extended it a moment ago,
   * and its samples must be visible at once. With other servers, the range therefore ends with the
   * newest samples of any series.
   */
  @Override
  public Optional<TimeRange> times() {
    if (!timesKnown || series == null) {
      return Optional.empty();
    }
    TimeRange known = index.extent(series);
    if (dataset.home().changes() == null) {
      return Optional.of(known);
    }
    long soon = dataset.now() + AHEAD_SECONDS * dataset.resolution().perSecond();
    long newest = Math.min(index.extent().to(), soon);
    return Optional.of(new TimeRange(known.from(), Math.max(known.to(), newest)));
  }

  private KeyPart.@Nullable Time lastTime() {
    int last = layout.rows().lastTimePart();
    return last < 0 ? null : (KeyPart.Time) layout.rows().parts().get(last);
  }

  private static double length(TimeRange range) {
    return (double) range.to() - range.from();
  }
}

package dev.varve.engine;

import dev.varve.engine.catalog.Matches;
import dev.varve.engine.catalog.SeriesBounds;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.request.Cardinality;
import dev.varve.engine.request.ReadGuard;
import dev.varve.model.Kind;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The catalog of a dataset. Safe for use by several threads. Names are returned in sorted order.
 */
public final class Catalog {
  private final OpenDataset dataset;
  private final SeriesIndex index;
  private final DatasetView view;
  private final DatasetParts parts;
  private final @Nullable SeriesBounds bounds;

  Catalog(DatasetView view) {
    this.view = view;
    this.parts = view.parts();
    this.dataset = parts.open();
    this.bounds = view.bounds();
    this.index = dataset.index();
  }

  /** Returns all metrics whose names begin with {@code prefix}. */
  public Stream<String> metrics(String prefix) {
    return metrics(prefix, ReadGuard.NONE);
  }

  /** Returns all metrics whose names begin with {@code prefix}. */
  public Stream<String> metrics(String prefix, ReadGuard guard) {
    Selector selector = new Selector(List.of(new TagFilter.Prefix(Series.NAME_LABEL, prefix)));
    return labelValues(Series.NAME_LABEL, selector, null, Integer.MAX_VALUE, guard).stream();
  }

  /** Returns the names of all labels of the matching series, regardless of time. */
  public Stream<String> labelNames(Selector selector) {
    return labelNames(selector, null, ReadGuard.NONE).stream();
  }

  /** Returns the values of a label among the matching series, regardless of time. */
  public Stream<String> labelValues(String label, Selector selector) {
    return labelValues(label, selector, null, Integer.MAX_VALUE, ReadGuard.NONE).stream();
  }

  /**
   * Returns the names of all labels of the matching series, both tags and resource identifiers.
   *
   * @param times excludes series whose extent does not overlap the range; null for all series
   * @param guard checked periodically
   * @throws QueryRefusedException if a filter is malformed
   */
  public List<String> labelNames(Selector selector, @Nullable TimeRange times, ReadGuard guard) {
    return labelNames(selector, times, Kind.ALL, guard);
  }

  /**
   * Returns the names of all labels of the matching series, both tags and resource identifiers.
   *
   * @param times excludes series whose extent does not overlap the range; null for all series
   * @param kinds excludes series without samples of these kinds
   * @param guard checked periodically
   * @throws QueryRefusedException if a filter is malformed
   */
  public List<String> labelNames(
      Selector selector, @Nullable TimeRange times, Set<Kind> kinds, ReadGuard guard) {
    return asking(() -> index.labelNames(view.bound(selector), trusted(times), kinds, guard));
  }

  /**
   * Returns the values of a label among the matching series.
   *
   * @param times as in {@link #labelNames}
   * @param most maximum number returned; if there are more, the first ones found are returned
   * @param guard as in {@link #labelNames}
   * @throws QueryRefusedException if a filter is malformed
   */
  public List<String> labelValues(
      String label, Selector selector, @Nullable TimeRange times, int most, ReadGuard guard) {
    return labelValues(label, selector, times, Kind.ALL, most, guard);
  }

  /**
   * Returns the values of a label among the matching series.
   *
   * @param times as in {@link #labelNames}
   * @param kinds as in {@link #labelNames}
   * @param most maximum number returned; if there are more, the first ones found are returned
   * @param guard as in {@link #labelNames}
   * @throws QueryRefusedException if a filter is malformed
   */
  public List<String> labelValues(
      String label,
      Selector selector,
      @Nullable TimeRange times,
      Set<Kind> kinds,
      int most,
      ReadGuard guard) {
    return asking(
        () -> index.labelValues(label, view.bound(selector), trusted(times), kinds, most, guard));
  }

  /**
   * Returns the first values, in sorted order, that begin with a prefix, regardless of time.
   *
   * @param label null for the values of all tags and resource identifiers
   * @param most maximum number returned and held in memory, at least 1
   * @param guard as in {@link #labelNames}
   */
  public List<String> firstValues(
      @Nullable String label, String prefix, int most, ReadGuard guard) {
    if (bounds == null) {
      return index.firstValues(label, prefix, most, guard);
    }
    Selector within = bounds.selector();
    List<String> of = label == null ? index.labelNames(within, null, guard) : List.of(label);
    TreeSet<String> first = new TreeSet<>();
    for (String name : of) {
      Selector begins = view.bound(new Selector(List.of(new TagFilter.Prefix(name, prefix))));
      first.addAll(index.labelValues(name, begins, null, Integer.MAX_VALUE, guard));
      while (first.size() > most) {
        first.pollLast();
      }
    }
    return List.copyOf(first);
  }

  /**
   * Returns statistics of series and labels.
   *
   * @param most maximum number of names in each list, at least 1
   * @param guard as in {@link #labelNames}
   */
  public Cardinality cardinality(int most, ReadGuard guard) {
    return index.cardinality(bounds == null ? null : bounds.selector(), most, guard);
  }

  /**
   * Returns the matching series, in the order of metric, then tags.
   *
   * @param times excludes series whose extent does not overlap the range; null for all series
   * @throws QueryRefusedException if a filter is malformed
   */
  public Stream<Series> series(Selector selector, @Nullable TimeRange times) {
    return series(selector, times, ReadGuard.NONE);
  }

  /**
   * Like {@link #series(Selector, TimeRange)}, with a guard.
   *
   * @param guard as in {@link #labelNames}
   */
  public Stream<Series> series(Selector selector, @Nullable TimeRange times, ReadGuard guard) {
    view.refuseWithoutCatalog();
    Matches matches = parts.reader().match(view.bound(selector), times, Kind.ALL, guard);
    return matches.inOrder().stream()
        .flatMap(match -> match.fields().stream().map(match.key()::field));
  }

  /**
   * Finds the series that match any of the given selectors.
   *
   * @param times excludes series whose extent does not overlap the range; null for all series
   * @param guard checked periodically, and notified of the number of keys that each selector
   *     matches
   * @throws QueryRefusedException if a filter is malformed
   */
  public SeriesFound find(List<Selector> selectors, @Nullable TimeRange times, ReadGuard guard) {
    return find(selectors, times, Kind.ALL, guard);
  }

  /**
   * Finds the series that match any of the given selectors.
   *
   * @param times excludes series whose extent does not overlap the range; null for all series
   * @param kinds excludes series without samples of these kinds
   * @param guard checked periodically, and notified of the number of keys that each selector
   *     matches
   * @throws QueryRefusedException if a filter is malformed
   */
  public SeriesFound find(
      List<Selector> selectors, @Nullable TimeRange times, Set<Kind> kinds, ReadGuard guard) {
    view.refuseWithoutCatalog();
    return new SeriesFound(
        selectors.stream()
            .map(selector -> parts.reader().match(view.bound(selector), times, kinds, guard))
            .toList());
  }

  /**
   * Saves metadata of metrics and returns once it is durable. Unset properties keep their earlier
   * values. Does nothing if the dataset is read-only. A bound user describes metrics of which all
   * series are within the bounds; others are skipped, since users of their other series share the
   * metadata.
   *
   * @throws WriteFailedException if a store failed
   */
  public void describe(Collection<MetricMetadata> metrics) {
    parts
        .metadata()
        .write(bounds == null ? metrics : metrics.stream().filter(this::isWhole).toList());
  }

  /**
   * Returns the metadata of metrics, from all servers, in the order of their names.
   *
   * @param metric the metric; null for all
   * @param limit maximum number returned
   * @param guard accounts for the memory of the result
   */
  public List<MetricMetadata> metadata(@Nullable String metric, int limit, ReadGuard guard) {
    if (bounds != null && metric == null) {
      return parts.open().home().attributes().all(Integer.MAX_VALUE, guard).stream()
          .filter(this::isVisible)
          .limit(limit)
          .toList();
    }
    List<MetricMetadata> found =
        metric == null
            ? parts.open().home().attributes().all(limit, guard)
            : metric.isEmpty() ? List.of() : parts.open().home().attributes().of(metric);
    return bounds == null ? found : found.stream().filter(this::isVisible).toList();
  }

  /** Returns whether a bound user may use a series of a metric. */
  private boolean isVisible(MetricMetadata metric) {
    return keys(view.bound(Selector.metric(metric.metric()))) > 0;
  }

  /** Returns whether a bound user may use all series of a metric, and there are some. */
  private boolean isWhole(MetricMetadata metric) {
    Selector all = Selector.metric(metric.metric());
    int within = keys(view.bound(all));
    return within > 0 && within == keys(all);
  }

  private int keys(Selector selector) {
    return parts.reader().match(selector, null, Kind.ALL, ReadGuard.NONE).size();
  }

  private @Nullable TimeRange trusted(@Nullable TimeRange times) {
    return dataset.trustsExtents() ? times : null;
  }

  private static <T> T asking(Supplier<T> question) {
    try {
      return question.get();
    } catch (IllegalArgumentException e) {
      throw new QueryRefusedException(String.valueOf(e.getMessage()));
    }
  }

  /** Returns the number of series keys; fields are not counted separately. */
  public long seriesCount() {
    return bounds == null ? index.size() : index.match(bounds.selector(), null).size();
  }
}

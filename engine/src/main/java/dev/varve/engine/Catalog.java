package dev.varve.engine;

import dev.varve.engine.catalog.SeriesBounds;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.request.Cardinality;
import dev.varve.engine.request.ReadGuard;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
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
  private final @Nullable SeriesBounds bounds;

  /**
   * Creates the catalog of a dataset.
   *
   * @param bounds the series that the answers are about; null for all
   */
  Catalog(OpenDataset dataset, @Nullable SeriesBounds bounds) {
    this.dataset = dataset;
    this.bounds = bounds;
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
    return asking(() -> index.labelNames(bound(selector), trusted(times), kinds, guard));
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
        () -> index.labelValues(label, bound(selector), trusted(times), kinds, most, guard));
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
      Selector begins = bound(new Selector(List.of(new TagFilter.Prefix(name, prefix))));
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

  private Selector bound(Selector selector) {
    return bounds == null ? selector : bounds.and(selector);
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

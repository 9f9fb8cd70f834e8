package dev.varve.engine;

import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The engine's view of which series exist. Safe for use by several threads. Names come sorted. */
public final class Catalog {
  private final OpenDataset dataset;
  private final SeriesIndex index;

  Catalog(OpenDataset dataset) {
    this.dataset = dataset;
    this.index = dataset.index();
  }

  /** All metrics whose names begin with {@code prefix}. */
  public Stream<String> metrics(String prefix) {
    return metrics(prefix, ReadGuard.NONE);
  }

  /** All metrics whose names begin with {@code prefix}, found under a guard. */
  public Stream<String> metrics(String prefix, ReadGuard guard) {
    Selector selector = new Selector(List.of(new TagFilter.Prefix(Series.NAME_LABEL, prefix)));
    return labelValues(Series.NAME_LABEL, selector, null, Integer.MAX_VALUE, guard).stream();
  }

  /** The names of all labels of the series that match, whenever they have samples. */
  public Stream<String> labelNames(Selector selector) {
    return labelNames(selector, null, ReadGuard.NONE).stream();
  }

  /** The values of a label among the series that match, whenever they have samples. */
  public Stream<String> labelValues(String label, Selector selector) {
    return labelValues(label, selector, null, Integer.MAX_VALUE, ReadGuard.NONE).stream();
  }

  /**
   * The names of all labels of the series that match, tags and resource identifiers alike.
   *
   * @param times leaves out series that surely have no sample in the range; null for all
   * @param guard asked now and then
   * @throws QueryRefusedException if a filter is malformed
   */
  public List<String> labelNames(Selector selector, @Nullable TimeRange times, ReadGuard guard) {
    return labelNames(selector, times, Kind.ALL, guard);
  }

  /**
   * The names of all labels of the series that match, tags and resource identifiers alike.
   *
   * @param times leaves out series that surely have no sample in the range; null for all
   * @param kinds leaves out series of which no sample is of any of these
   * @param guard asked now and then
   * @throws QueryRefusedException if a filter is malformed
   */
  public List<String> labelNames(
      Selector selector, @Nullable TimeRange times, Set<Kind> kinds, ReadGuard guard) {
    return asking(() -> index.labelNames(selector, trusted(times), kinds, guard));
  }

  /**
   * The values of a label among the series that match.
   *
   * @param times as in {@link #labelNames}
   * @param most how many at most: of more, those that are found first
   * @param guard as in {@link #labelNames}
   * @throws QueryRefusedException if a filter is malformed
   */
  public List<String> labelValues(
      String label, Selector selector, @Nullable TimeRange times, int most, ReadGuard guard) {
    return labelValues(label, selector, times, Kind.ALL, most, guard);
  }

  /**
   * The values of a label among the series that match.
   *
   * @param times as in {@link #labelNames}
   * @param kinds as in {@link #labelNames}
   * @param most how many at most: of more, those that are found first
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
    return asking(() -> index.labelValues(label, selector, trusted(times), kinds, most, guard));
  }

  /**
   * The first values in their order that begin so, whenever their series have samples.
   *
   * @param label null for those of all tags and resource identifiers
   * @param most how many at most, at least 1; no more are held
   * @param guard as in {@link #labelNames}
   */
  public List<String> firstValues(
      @Nullable String label, String prefix, int most, ReadGuard guard) {
    return index.firstValues(label, prefix, most, guard);
  }

  /**
   * How many series and labels there are, and of what most.
   *
   * @param most how many names of each kind, at least 1
   * @param guard as in {@link #labelNames}
   */
  public Cardinality cardinality(int most, ReadGuard guard) {
    return index.cardinality(most, guard);
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

  /** How many keys there are; the fields of a key are not counted apart. */
  public long seriesCount() {
    return index.size();
  }
}

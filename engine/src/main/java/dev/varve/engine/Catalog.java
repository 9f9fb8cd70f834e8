package dev.varve.engine;

import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import java.util.List;
import java.util.stream.Stream;

/** The engine's view of which series exist. Safe for use by several threads. Names come sorted. */
public final class Catalog {
  private final SeriesIndex index;

  Catalog(SeriesIndex index) {
    this.index = index;
  }

  /** All metrics whose names begin with {@code prefix}. */
  public Stream<String> metrics(String prefix) {
    Selector selector = new Selector(List.of(new TagFilter.Prefix(Series.NAME_LABEL, prefix)));
    return index.labelValues(Series.NAME_LABEL, selector).stream();
  }

  /**
   * The names of all labels of the series that match, tags and resource identifiers alike.
   *
   * @throws QueryRefusedException if a filter is malformed
   */
  public Stream<String> labelNames(Selector selector) {
    try {
      return index.labelNames(selector).stream();
    } catch (IllegalArgumentException e) {
      throw new QueryRefusedException(String.valueOf(e.getMessage()));
    }
  }

  /**
   * The values of a label among the series that match.
   *
   * @throws QueryRefusedException if a filter is malformed
   */
  public Stream<String> labelValues(String label, Selector selector) {
    try {
      return index.labelValues(label, selector).stream();
    } catch (IllegalArgumentException e) {
      throw new QueryRefusedException(String.valueOf(e.getMessage()));
    }
  }

  /** How many keys there are; the fields of a key are not counted apart. */
  public long seriesCount() {
    return index.size();
  }
}

package dev.varve.engine;

import dev.varve.model.Selector;
import java.util.stream.Stream;

/** The engine's view of which series exist. Safe for use by several threads. Names come sorted. */
public final class Catalog {
  /** All metrics whose names begin with {@code prefix}. */
  public Stream<String> metrics(String prefix) {
    return Dataset.pending();
  }

  /** The names of all labels of the series that match, tags and resource identifiers alike. */
  public Stream<String> labelNames(Selector selector) {
    return Dataset.pending();
  }

  /** The values of a label among the series that match. */
  public Stream<String> labelValues(String label, Selector selector) {
    return Dataset.pending();
  }

  public long seriesCount() {
    return Dataset.pending();
  }
}

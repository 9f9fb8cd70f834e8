package dev.varve.engine;

import dev.varve.model.Selector;
import java.util.stream.Stream;

/** The engine's view of which series exist. Safe for use by several threads. Names come sorted. */
public interface Catalog {
  /** All metrics whose names begin with {@code prefix}. */
  Stream<String> metrics(String prefix);

  /** The names of all labels of the series that match, tags and resource identifiers alike. */
  Stream<String> labelNames(Selector selector);

  /** The values of a label among the series that match. */
  Stream<String> labelValues(String label, Selector selector);

  long seriesCount();
}

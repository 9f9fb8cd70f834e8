package dev.varve.layout.opentsdb;

import dev.varve.layout.Binding;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;

/**
 * A key whose names have been turned into UIDs.
 *
 * @param metric the metric's UID; all zero where the key is that of the global annotations
 * @param pairs UIDs of tag names and values, pair behind pair, in the order of their bytes
 * @param bucket the salt; 0 where there is none
 */
record UidBinding(GroupKey key, Bytes metric, Bytes pairs, int bucket) implements Binding {
  /** What the original knows a series by: its row key without salt and base time. */
  Bytes tsuid() {
    return metric.concat(pairs);
  }

  /** Whether the rows hold the annotations that belong to no series, and no samples. */
  boolean global() {
    return pairs.isEmpty();
  }
}

package dev.varve.layout.opentsdb;

import dev.varve.layout.Binding;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;

/**
 * A key with the UIDs of its names.
 *
 * @param metric the UID of the metric; all zero for the key of global annotations
 * @param pairs the concatenated pairs of tag name UID and tag value UID, sorted by their bytes
 * @param bucket the salt; 0 if the layout has none
 */
record UidBinding(GroupKey key, Bytes metric, Bytes pairs, int bucket) implements Binding {
  /**
   * Returns the TSUID, the original's identifier of a series: its row key without salt and base
   * time.
   */
  Bytes tsuid() {
    return metric.concat(pairs);
  }

  /** Returns whether this is the key of global annotations, which has no samples. */
  boolean global() {
    return pairs.isEmpty();
  }
}

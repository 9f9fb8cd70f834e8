package dev.varve.layout;

import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.TimeRange;
import java.util.List;

/** A layout's own index: which rows of the data table there are. */
public interface Directory {
  /** A row of the data table and the key that it belongs to. */
  record Row(Bytes row, GroupKey key) {}

  /**
   * The rows of a metric that may hold samples of a time range, each once, in the order of their
   * keys.
   */
  Step<List<Row>> rows(String metric, TimeRange times);

  /** The names of all metrics, sorted. */
  Step<List<String>> metrics();
}

package dev.varve.layout;

import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A layout's own index: which rows of the data table there are. */
public interface Directory {
  /** A row of the data table and the key that it belongs to. */
  record Row(Bytes row, GroupKey key) {}

  /**
   * What the index lists.
   *
   * @param rows each once, in the order of their keys
   * @param damaged what stands in the index and names no row of this layout, with place and reason;
   *     such an entry hides no other
   */
  record Listing(List<Row> rows, List<String> damaged) {}

  /**
   * The rows of a metric that may hold samples of a time range.
   *
   * @param filters what the caller is going to ask of the keys; a row that they rule out may be
   *     missing, where the index can tell, or may be there
   */
  Step<Listing> rows(String metric, List<TagFilter> filters, TimeRange times);

  /**
   * A part of what the index lists.
   *
   * @param place where the next part begins; null behind the last one
   */
  record Page(Listing listing, @Nullable Bytes place) {}

  /**
   * The rows of a metric that may hold samples of a time range, part by part; a row may be in two
   * parts.
   *
   * @param place where to begin, as the page before says; null for the start
   * @param most so many entries of the index at most are read at once, at least 1
   */
  Step<Page> page(String metric, TimeRange times, @Nullable Bytes place, int most);

  /** The names of all metrics, sorted. */
  Step<List<String>> metrics();
}

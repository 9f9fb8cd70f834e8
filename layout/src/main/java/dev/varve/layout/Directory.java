package dev.varve.layout;

import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.store.MutationBatch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A layout's own index of the rows in its data table. */
public interface Directory {
  /** A row of the data table and its key. */
  record Row(Bytes row, GroupKey key) {}

  /**
   * Entries of the index.
   *
   * @param rows unique, in key order
   * @param damaged descriptions of index entries that do not name a row of this layout, with
   *     position and reason; such an entry hides no other
   */
  record Listing(List<Row> rows, List<String> damaged) {}

  /**
   * Finds the rows of a metric that may hold samples of a time range.
   *
   * @param filters conditions on the keys. The index may use them to leave out rows that do not
   *     match, but may also return such rows
   */
  Step<Listing> rows(String metric, List<TagFilter> filters, TimeRange times);

  /**
   * A page of the index.
   *
   * @param place where the next page starts; null after the last one
   */
  record Page(Listing listing, @Nullable Bytes place) {}

  /**
   * Finds the rows of a metric that may hold samples of a time range, page by page. A row may
   * appear on two pages.
   *
   * @param place the start from the preceding page; null for the first page
   * @param most maximum number of index entries to read at once, at least 1
   */
  Step<Page> page(String metric, TimeRange times, @Nullable Bytes place, int most);

  /** Returns the names of all metrics, sorted. */
  Step<List<String>> metrics();

  /**
   * Returns all rows that this layout may have written for a key. Cheaper than listing the rows of
   * its metric, but most of them need not exist.
   */
  Step<List<Bytes>> possibleRows(Binding binding);

  /**
   * Returns the edits that delete the index entries of keys without rows, as far as this layout
   * writes such entries.
   *
   * @param bindings of keys of one metric; at least one
   * @param metricGoes whether the metric has no other key
   */
  Step<List<IndexEdits>> removal(List<Binding> bindings, boolean metricGoes);

  /** Edits of a table, by its index in {@link Layout#tables()}. */
  record IndexEdits(int table, MutationBatch edits) {}
}

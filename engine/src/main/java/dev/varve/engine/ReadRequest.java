package dev.varve.engine;

import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Recurring;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.store.Budget;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What to read of a dataset.
 *
 * @param times of the samples, in the resolution of the dataset
 * @param fields the fields wanted; null for all
 * @param versions of each sample
 * @param kinds what to do where one series has samples of several kinds at one instant
 * @param order of the runs
 * @param newestFirst how many of the newest samples of each series, and of each kind where kinds
 *     are kept apart, suffice; its runs then come newest first, each in the order of time within. 0
 *     for all, oldest first
 * @param wholeTable whether a whole table may be scanned
 * @param budget what the stores may look at, all reads of the request together
 * @param recurring of {@code times} those that are wanted: samples of others may come or not,
 *     whatever is less work. Null for all
 */
public record ReadRequest(
    Selector selector,
    TimeRange times,
    @Nullable Set<String> fields,
    Versions versions,
    Kinds kinds,
    Order order,
    int newestFirst,
    boolean wholeTable,
    Budget budget,
    @Nullable Recurring recurring) {
  /** A request for all times of a range. */
  public ReadRequest(
      Selector selector,
      TimeRange times,
      @Nullable Set<String> fields,
      Versions versions,
      Kinds kinds,
      Order order,
      int newestFirst,
      boolean wholeTable,
      Budget budget) {
    this(selector, times, fields, versions, kinds, order, newestFirst, wholeTable, budget, null);
  }

  public static ReadRequest of(Selector selector, TimeRange times) {
    return new ReadRequest(
        selector,
        times,
        null,
        Versions.LATEST,
        Kinds.ONE,
        Order.TIME_WITHIN_SERIES,
        0,
        false,
        Budget.UNLIMITED);
  }

  /** The same in another order. */
  public ReadRequest with(Order other) {
    return new ReadRequest(
        selector,
        times,
        fields,
        versions,
        kinds,
        other,
        newestFirst,
        wholeTable,
        budget,
        recurring);
  }

  /** The same with another budget. */
  public ReadRequest with(Budget other) {
    return new ReadRequest(
        selector, times, fields, versions, kinds, order, newestFirst, wholeTable, other, recurring);
  }

  /** The same for those times alone that recur. */
  public ReadRequest with(Recurring wanted) {
    return new ReadRequest(
        selector, times, fields, versions, kinds, order, newestFirst, wholeTable, budget, wanted);
  }

  public enum Kinds {
    /** One sample an instant: the last accepted, whatever its kind. */
    ONE,
    /** One sample an instant and kind. */
    EACH
  }

  /**
   * In which order runs come. The runs of one series are always in the order of time and do not
   * overlap.
   */
  public enum Order {
    /** Runs of different series may alternate, which lets a plan read many series in one range. */
    TIME_WITHIN_SERIES,
    /**
     * All runs of one series, then all of the next; the series in the order of metric, then tags,
     * then field. Rows that hold several fields are read once for each.
     */
    SERIES_BY_SERIES
  }
}

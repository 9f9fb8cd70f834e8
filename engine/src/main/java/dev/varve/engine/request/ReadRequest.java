package dev.varve.engine.request;

import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Recurring;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.store.Budget;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A read of a dataset.
 *
 * @param times the range of sample times, in the resolution of the dataset
 * @param fields the requested fields; null for all
 * @param versions which versions of each sample to return
 * @param kinds the samples to return if a series has samples of several kinds at one instant
 * @param order the order of runs
 * @param newestFirst the number of newest samples that suffice per series, or per series and kind
 *     if kinds are separate. Runs are then returned newest first; samples within a run are in
 *     ascending order of time. 0 for all samples, oldest first
 * @param wholeTable whether a whole table may be scanned
 * @param budget the budget of all store reads of the request together
 * @param recurring the times within {@code times} that are required; samples at other times may be
 *     returned if that is less work. Null for all times
 * @param latest the sample of each series that suffices; others may be returned if that is less
 *     work. Null for all samples
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
    @Nullable Recurring recurring,
    @Nullable Latest latest) {
  /** Creates a request for all samples of a range. */
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
    this(
        selector,
        times,
        fields,
        versions,
        kinds,
        order,
        newestFirst,
        wholeTable,
        budget,
        null,
        null);
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

  /** Returns a copy with another selector. */
  public ReadRequest with(Selector other) {
    return copy(other, order, budget, recurring, latest);
  }

  /** Returns a copy with another order. */
  public ReadRequest with(Order other) {
    return copy(selector, other, budget, recurring, latest);
  }

  /** Returns a copy with another budget. */
  public ReadRequest with(Budget other) {
    return copy(selector, order, other, recurring, latest);
  }

  /** Returns a copy for recurring times only. */
  public ReadRequest with(Recurring wanted) {
    return copy(selector, order, budget, wanted, latest);
  }

  /** Returns a copy for the latest samples only. */
  public ReadRequest with(Latest wanted) {
    return copy(selector, order, budget, recurring, wanted);
  }

  private ReadRequest copy(
      Selector otherSelector,
      Order otherOrder,
      Budget otherBudget,
      @Nullable Recurring otherRecurring,
      @Nullable Latest otherLatest) {
    return new ReadRequest(
        otherSelector,
        times,
        fields,
        versions,
        kinds,
        otherOrder,
        newestFirst,
        wholeTable,
        otherBudget,
        otherRecurring,
        otherLatest);
  }

  /**
   * The latest number of each series suffices. Texts do not count.
   *
   * @param except bits of doubles that do not count either; null if all numbers count
   */
  public record Latest(@Nullable Long except) {}

  public enum Kinds {
    /** One sample per instant: the last accepted, whatever its kind. */
    ONE,
    /** One sample per instant and kind. */
    EACH
  }

  /**
   * The order of runs. The runs of one series are always in the order of time and do not overlap.
   */
  public enum Order {
    /** Runs of different series may alternate, so a plan can read many series in one range. */
    TIME_WITHIN_SERIES,
    /**
     * All runs of one series precede those of the next. Series are in the order of metric, then
     * tags, then field. Rows with several fields are read once per field.
     */
    SERIES_BY_SERIES
  }
}

package dev.varve.query;

import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.query.running.QueryUse;

/**
 * Partial results of one aggregation, stored in columns with one slot per result in progress. A
 * slot must be {@link #reset} before its first use.
 */
abstract class Fold {
  /** Returns an empty fold; an exact percentile takes the memory of its values from the query. */
  static Fold of(Aggregation aggregation, Resolution resolution, QueryUse use) {
    return switch (aggregation) {
      case Aggregation.Basic basic ->
          switch (basic) {
            case AVG -> new AverageFold();
            case SUM -> new SumFold();
            case MIN -> new ExtremeFold(false);
            case MAX -> new ExtremeFold(true);
            case COUNT -> new CountFold();
            case FIRST -> new PickFold(true);
            case LAST -> new PickFold(false);
            case RATE -> new CounterRateFold(resolution);
            case LEAST_SQUARES -> new LineFold(resolution);
          };
      case Aggregation.Deviation deviation -> new DeviationFold(deviation);
      case Aggregation.Percentile percentile -> new PercentileFold(percentile, use);
    };
  }

  /** Empties a slot. */
  abstract void reset(int slot);

  /** Adds samples {@code from} (inclusive) to {@code to} (exclusive) to a slot. */
  abstract void add(int slot, Samples samples, int from, int to);

  /** Emits the result of a slot, which must have received at least one sample. */
  abstract void emit(int slot, long time, Emitter out);

  /**
   * Returns the approximate size of a slot in bytes, without the values that a percentile holds.
   */
  abstract int bytesPerSlot();

  /** Starts another series; for folds that look across windows. */
  void beginSeries() {}

  /** Returns the length to which a column grows for a slot beyond its end. */
  static int capacity(int slot) {
    return Math.max(16, slot + (slot >> 1) + 1);
  }
}

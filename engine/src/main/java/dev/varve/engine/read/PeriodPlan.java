package dev.varve.engine.read;

import dev.varve.engine.periods.Period;
import dev.varve.model.TimeRange;

/** A plan to read some series in one period: from the cells of a layout, or from blocks. */
sealed interface PeriodPlan permits PlannedRead, PlannedBlocks {
  Period period();

  /** Returns the part of the request's range within the period. */
  TimeRange times();
}

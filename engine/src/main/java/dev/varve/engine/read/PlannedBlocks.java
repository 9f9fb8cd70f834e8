package dev.varve.engine.read;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.periods.Period;
import dev.varve.model.TimeRange;
import java.util.List;

/**
 * A plan to read some series in a period that is stored in blocks. They are delivered one after the
 * other.
 *
 * @param times the part of the request's range within the period
 * @param matches indexes of matching series, in the order of delivery
 */
record PlannedBlocks(Period period, TimeRange times, BlockTiers tiers, List<Integer> matches)
    implements PeriodPlan {}

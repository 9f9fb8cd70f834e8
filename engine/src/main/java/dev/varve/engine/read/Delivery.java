package dev.varve.engine.read;

import java.util.List;

/** A step of a read: some series, and the order in which their runs are delivered. */
sealed interface Delivery {
  /**
   * Runs are delivered in the order in which they are read.
   *
   * @param plans one after the other
   */
  record AsRead(List<PeriodPlan> plans) implements Delivery {
    public AsRead {
      plans = List.copyOf(plans);
    }
  }

  /**
   * All runs are read and held before the first one is delivered, one series after the other; see
   * {@link GatheredRuns}.
   *
   * @param plans one for each period, in ascending order of time
   * @param matches indexes of matching series, in the order of delivery
   */
  record Gathered(List<PlannedRead> plans, List<Integer> matches) implements Delivery {
    public Gathered {
      plans = List.copyOf(plans);
      matches = List.copyOf(matches);
    }
  }
}

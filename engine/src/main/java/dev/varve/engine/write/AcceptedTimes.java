package dev.varve.engine.write;

import dev.varve.engine.periods.OpenDataset;
import dev.varve.layout.Refusal;
import org.jspecify.annotations.Nullable;

/** The times that a dataset accepts. The bounds are fixed while one batch is written. */
final class AcceptedTimes {
  private final OpenDataset dataset;
  private final long oldest;
  private final long firstRefused;

  AcceptedTimes(OpenDataset dataset) {
    this.dataset = dataset;
    this.oldest = dataset.oldestKept();
    this.firstRefused = dataset.firstRefused();
  }

  /**
   * Returns whether the dataset accepts all times from {@code first} to {@code last}, inclusive.
   */
  boolean accepts(long first, long last) {
    return first >= oldest && last < firstRefused;
  }

  /** Returns why the dataset refuses a time; null if it accepts it. */
  @Nullable Refusal refusal(long time) {
    return time < oldest ? tooOld(time) : time >= firstRefused ? tooLate(time) : null;
  }

  private Refusal tooOld(long time) {
    return new Refusal(
        "retention",
        "time %d is older than what the dataset keeps, which is %s, back to %d"
            .formatted(time, dataset.config().retention(), oldest));
  }

  private Refusal tooLate(long time) {
    if (time == Long.MAX_VALUE) {
      return new Refusal(
          "time.range",
          "time %d is out of range: a dataset holds times up to %d"
              .formatted(time, Long.MAX_VALUE - 1));
    }
    if (time < dataset.periods().closedFrom()) {
      return new Refusal(
          "retention.ahead",
          "time %d is more than a day ahead of the clock: the store removes what is older than %s by the time of writing, and would remove this too early"
              .formatted(time, dataset.config().retention()));
    }
    return new Refusal(
        "period.unknown",
        "time %d is in a period that another server has added to dataset '%s' and this server's configuration lacks: declare it here too"
            .formatted(time, dataset.name()));
  }
}

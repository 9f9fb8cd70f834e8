package dev.varve.engine;

import dev.varve.engine.home.Home;
import dev.varve.engine.home.IdentityTable.CatalogState;
import dev.varve.engine.home.IdentityTable.Made;
import dev.varve.engine.home.IdentityTable.MadePeriod;
import dev.varve.engine.home.StampClock;
import java.time.Duration;
import java.util.List;

/**
 * Makes a dataset in its home, or compares its declaration with what stands there. Of several
 * servers that come at once one makes it, and the others compare.
 */
final class DatasetMaking {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long PAUSE_MILLIS = 100;

  private final String dataset;
  private final Home home;
  private final StampClock clock;

  DatasetMaking(String dataset, Home home, StampClock clock) {
    this.dataset = dataset;
    this.home = home;
    this.clock = clock;
  }

  /**
   * Makes or compares.
   *
   * @param hasRows whether there may be rows that no catalog knows
   * @param earliest the first time at which a period that is added may begin, in the resolution of
   *     the dataset
   * @throws InvalidConfigException with every difference
   */
  void run(Made declared, boolean hasRows, long earliest) {
    boolean isOurs = home.identity().made() == null && home.identity().claim(false, clock.next());
    if (!isOurs && !stands()) {
      isOurs = home.identity().claim(true, clock.next());
    }
    if (isOurs && home.identity().made() == null) {
      if (hasRows) {
        home.identity().catalogState(CatalogState.LOST, clock.next());
      }
      home.identity().make(declared, clock.next());
      return;
    }
    Made made = home.identity().made();
    if (made == null) {
      throw new InvalidConfigException(
          List.of("dataset '%s' is being made by another server: try again".formatted(dataset)));
    }
    List<MadePeriod> added = IdentityCheck.compare(dataset, made, declared, earliest);
    if (made.place().isEmpty() && !declared.place().isEmpty()) {
      home.identity().place(declared.place(), clock.next());
    }
    for (MadePeriod period : added) {
      home.identity().append(period, clock.next());
    }
    if (!added.isEmpty()) {
      compareAgain(declared, earliest);
    }
  }

  /** Another server may have added other periods at the same time, and been first. */
  private void compareAgain(Made declared, long earliest) {
    Made made = home.identity().made();
    if (made != null) {
      IdentityCheck.compare(dataset, made, declared, earliest);
    }
  }

  /** Whether the dataset stands, once another server has had the time to make it. */
  private boolean stands() {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (home.identity().made() == null) {
      if (System.nanoTime() > deadline) {
        return false;
      }
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }
}

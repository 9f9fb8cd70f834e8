package dev.varve.engine;

import dev.varve.engine.error.InvalidConfigException;
import dev.varve.engine.home.Home;
import dev.varve.engine.home.IdentityTable.CatalogState;
import dev.varve.engine.home.IdentityTable.Made;
import dev.varve.engine.home.IdentityTable.MadePeriod;
import dev.varve.engine.home.StampClock;
import java.time.Duration;
import java.util.List;

/**
 * Creates a dataset in its home, or compares its declaration with an existing one. If several
 * servers start at once, one creates the dataset and the others compare.
 */
final class DatasetMaking {
  private static final Duration WAIT_MAX = Duration.ofSeconds(10);
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
   * Creates or compares the dataset.
   *
   * @param hasRows whether there may be rows that no catalog lists
   * @param earliest the earliest start of an added period, in the resolution of the dataset
   * @throws InvalidConfigException listing all differences
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
          List.of("dataset '%s' is being created by another server: try again".formatted(dataset)));
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

  /** Compares again, because another server may have added different periods first. */
  private void compareAgain(Made declared, long earliest) {
    Made made = home.identity().made();
    if (made != null) {
      IdentityCheck.compare(dataset, made, declared, earliest);
    }
  }

  /** Waits for another server to create the dataset. Returns whether it now exists. */
  private boolean stands() {
    long deadline = System.nanoTime() + WAIT_MAX.toNanos();
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

package dev.varve.store;

/** What cell times of a family mean. */
public enum TimeUse {
  /**
   * Part of the data: readers ask for ranges of it, and one column holds many. A write may come
   * with any time.
   */
  DATA,

  /**
   * The order of acceptance: of two cells in a column the one of higher time is the later, and the
   * one that is seen where only one version is wanted, whatever the order they arrive in. A store
   * that is embedded may keep the last cell that it was given: its one writer hands in times that
   * rise.
   */
  CLOCK
}

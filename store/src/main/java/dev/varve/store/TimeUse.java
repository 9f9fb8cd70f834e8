package dev.varve.store;

/** What cell times of a family mean. */
public enum TimeUse {
  /**
   * Part of the data: readers ask for ranges of it, and one column holds many. A write may come
   * with any time.
   */
  DATA,

  /**
   * The order of acceptance: of two cells in a column the one of higher time is the later. Writers
   * hand in times that rise, so that a store may keep the last cell that it was given where only
   * one version is wanted.
   */
  CLOCK
}

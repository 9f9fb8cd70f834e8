package dev.varve.store;

/** The meaning of a family's cell times. */
public enum TimeUse {
  /**
   * Cell times are data. Readers ask for ranges of them, one column holds many, and a write may
   * carry any time.
   */
  DATA,

  /**
   * Cell times order writes. Of two cells in a column, the one with the higher time is the later
   * one and is visible if only one version is wanted, regardless of arrival order. An embedded
   * store may simply keep the last cell it received, because its single writer supplies ascending
   * times.
   */
  CLOCK
}

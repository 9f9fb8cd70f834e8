package dev.varve.store;

/** What must be so before a write returns. */
public enum Durability {
  /** It survives the loss of power, or the loss of as many nodes as the store was set up for. */
  SYNCED,

  /**
   * It survives whatever a later {@link #SYNCED} write to the same store survives, and is never
   * seen without what was written before it.
   */
  ORDERED
}

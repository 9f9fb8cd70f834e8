package dev.varve.store;

/** The guarantee that holds before a write returns. */
public enum Durability {
  /**
   * The write survives a power failure, or the loss of as many nodes as the store is configured to
   * tolerate.
   */
  SYNCED,

  /**
   * The write survives whatever a later {@link #SYNCED} write to the same store survives. It is
   * never visible without the writes that preceded it.
   */
  ORDERED
}

package dev.varve.engine.read;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The ways of reading that have turned out to fail for a request, so that they are not tried again.
 * Shared by the parts of a reading, which several threads may perform.
 */
final class Ways {
  private final AtomicBoolean neverJoined = new AtomicBoolean();
  private final AtomicBoolean neverHeld = new AtomicBoolean();

  /** Returns whether one plan may deliver several series one after the other. */
  boolean mayJoin() {
    return !neverJoined.get();
  }

  /** Records that plans of several series do not keep them apart. */
  void neverJoin() {
    neverJoined.set(true);
  }

  /** Returns whether series that are read together may be few enough to hold. */
  boolean mayHold() {
    return !neverHeld.get();
  }

  /** Records that series that are read together are too much to hold. */
  void neverHold() {
    neverHeld.set(true);
  }
}

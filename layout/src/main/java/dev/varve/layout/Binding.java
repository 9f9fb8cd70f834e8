package dev.varve.layout;

import dev.varve.model.GroupKey;

/**
 * A key made ready for one layout: whatever its row keys need is at hand. Immutable, so that it can
 * be kept and shared.
 */
public interface Binding {
  GroupKey key();

  /** A key that needed nothing. */
  record Plain(GroupKey key) implements Binding {}
}

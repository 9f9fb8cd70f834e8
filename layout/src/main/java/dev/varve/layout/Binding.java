package dev.varve.layout;

import dev.varve.model.GroupKey;

/**
 * A key prepared for one layout, with everything its row keys need. Immutable, so that it can be
 * kept and shared.
 */
public interface Binding {
  GroupKey key();

  /** A key that needs no preparation. */
  record Plain(GroupKey key) implements Binding {}
}

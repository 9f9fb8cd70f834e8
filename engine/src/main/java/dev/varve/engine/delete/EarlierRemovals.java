package dev.varve.engine.delete;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * The removals that jobs of an earlier process may have made. No record tells from which rows, so
 * whole tables are rewritten. All of these removals happened before this process began, so one
 * rewrite is enough for all resumed jobs. Used by one thread.
 */
final class EarlierRemovals {
  private final boolean any;
  private final Set<Object> rewritten = Collections.newSetFromMap(new IdentityHashMap<>());

  /**
   * @param any whether an earlier process may have begun
   */
  EarlierRemovals(boolean any) {
    this.any = any;
  }

  /** Returns whether an earlier process may have begun. */
  boolean any() {
    return any;
  }

  /**
   * Rewrites a table, or another part that has files, unless that has happened since the process
   * began.
   *
   * @param rewrite if it throws, the next call tries again
   * @return whether it was rewritten now
   */
  boolean rewriteOnce(Object part, Runnable rewrite) {
    if (!any || rewritten.contains(part)) {
      return false;
    }
    rewrite.run();
    rewritten.add(part);
    return true;
  }
}

package dev.varve.query.promql.eval;

import dev.varve.query.Memory;

/** Counts the rows that a query holds, and asks between whether it is still wanted. */
final class Held {
  /** So many characters of a label count as nothing beside its row. */
  private static final int SHORT = 256;

  private final Memory memory;
  private final Runnable wanted;

  /**
   * @param wanted throws where the query was cancelled
   */
  Held(Memory memory, Runnable wanted) {
    this.memory = memory;
    this.wanted = wanted;
  }

  /**
   * Throws where the query was cancelled; to be called where much is worked out and nothing read.
   */
  void wanted() {
    wanted.run();
  }

  void row(int steps) {
    memory.hold(Column.bytes(steps), "a query of series that meet");
  }

  void release(int steps) {
    memory.release(Column.bytes(steps));
  }

  /** Counts the row under way of a subquery, which may be long. */
  void steps(long steps) {
    memory.hold(
        Math.clamp(9 * steps, 0, Long.MAX_VALUE / 2), "a subquery of %,d steps".formatted(steps));
  }

  void releaseSteps(long steps) {
    memory.release(Math.clamp(9 * steps, 0, Long.MAX_VALUE / 2));
  }

  /** Counts a label that was made, if it is a long one; until the end of the query. */
  void text(String label) {
    if (label.length() > SHORT) {
      memory.hold(2L * label.length(), "long labels that a query makes");
    }
  }

  /** Counts samples of the result. */
  void samples(int count) {
    memory.hold(64 + 16L * count, "the result of a query");
  }
}

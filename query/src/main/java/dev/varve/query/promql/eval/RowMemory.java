package dev.varve.query.promql.eval;

import dev.varve.engine.request.ReadGuard;
import dev.varve.query.Sorting;
import dev.varve.query.running.QueryUse;
import java.util.Comparator;

/** Accounts for the memory of a query, and checks for cancellation. */
final class RowMemory {
  /** Labels of a row with their place in a map; texts are shared with the catalog. */
  private static final long BYTES_PER_LABELS = 200;

  /**
   * A step of a subquery: a value, its presence, and a sample in a vector that grows by doubling.
   */
  private static final long BYTES_PER_SUBQUERY_STEP = 33;

  /** This many values are computed in a few milliseconds. */
  private static final int STRETCH = 1 << 16;

  private final QueryUse use;

  RowMemory(QueryUse use) {
    this.use = use;
  }

  /** Throws if the query was cancelled. To be called in long computations that do not read. */
  void wanted() {
    use.giveWay();
  }

  /**
   * Checks for cancellation, and returns the end of a stretch to compute without another check.
   *
   * @param from start of the stretch
   * @param to end of the whole computation
   */
  int stretch(int from, int to) {
    use.giveWay();
    return to - from > STRETCH ? from + STRETCH : to;
  }

  /** Returns the guard, for code that does not depend on this class. */
  ReadGuard guard() {
    return use;
  }

  /** Returns a comparator that checks for cancellation. */
  <T> Comparator<T> asking(Comparator<? super T> order) {
    return Sorting.asking(order, use::giveWay);
  }

  void row(int steps) {
    use.giveWay();
    hold(BYTES_PER_LABELS + Column.bytes(steps), "a query that combines series");
  }

  void release(int steps) {
    use.memory().release(BYTES_PER_LABELS + Column.bytes(steps));
  }

  /** Holds memory for labels until the end of the query. */
  void labels(Labels labels) {
    hold(BYTES_PER_LABELS + labels.ownBytes(), "a query that checks series for duplicates");
  }

  /** Holds memory other than rows. */
  void hold(long bytes, String what) {
    use.memory().hold(bytes, what);
  }

  void releaseBytes(long bytes) {
    use.memory().release(bytes);
  }

  /** Holds memory for the current row of a subquery, which may be long. */
  void steps(long steps) {
    use.stepsTaken(steps);
    hold(BYTES_PER_SUBQUERY_STEP * steps, "a subquery of %,d steps".formatted(steps));
  }

  void releaseSteps(long steps) {
    use.memory().release(BYTES_PER_SUBQUERY_STEP * steps);
  }

  /** Counts samples of one series of the result. */
  void samples(Labels labels, int count) {
    use.giveWay();
    use.pointsReturned(count);
    hold(BYTES_PER_LABELS + labels.ownBytes() + 16L * count, "the result of a query");
  }
}

package dev.varve.query.promql.eval;

import dev.varve.engine.ReadGuard;
import dev.varve.query.Sorting;
import dev.varve.query.running.QueryUse;
import java.util.Comparator;

/** Counts what a query holds, and asks between whether it is still wanted. */
final class Held {
  /** Labels of a row with its place in a map; texts are shared with the catalog. */
  private static final long BYTES_PER_LABELS = 200;

  /** A step of a subquery: a value, its presence, and a sample in a vector that doubles. */
  private static final long BYTES_PER_SUBQUERY_STEP = 33;

  /** So many values are worked out within some milliseconds. */
  private static final int STRETCH = 1 << 16;

  private final QueryUse use;

  Held(QueryUse use) {
    this.use = use;
  }

  /**
   * Throws where the query was cancelled; to be called where much is worked out and nothing read.
   */
  void wanted() {
    use.giveWay();
  }

  /**
   * Where a stretch ends that is worked out without a question, having asked whether to go on.
   *
   * @param from where it begins
   * @param to where all ends
   */
  int stretch(int from, int to) {
    use.giveWay();
    return to - from > STRETCH ? from + STRETCH : to;
  }

  /** For whoever reads or looks for long without a hand of this. */
  ReadGuard guard() {
    return use;
  }

  /** An order that asks as it compares. */
  <T> Comparator<T> asking(Comparator<? super T> order) {
    return Sorting.asking(order, use::giveWay);
  }

  void row(int steps) {
    use.giveWay();
    hold(BYTES_PER_LABELS + Column.bytes(steps), "a query of series that meet");
  }

  void release(int steps) {
    use.memory().release(BYTES_PER_LABELS + Column.bytes(steps));
  }

  /** Counts labels that are kept, until the query ends. */
  void labels(Labels labels) {
    hold(BYTES_PER_LABELS + labels.ownBytes(), "a query whose series have to differ");
  }

  /** Counts bytes beside rows. */
  void hold(long bytes, String what) {
    use.memory().hold(bytes, what);
  }

  void releaseBytes(long bytes) {
    use.memory().release(bytes);
  }

  /** Counts the row under way of a subquery, which may be long. */
  void steps(long steps) {
    use.stepsTaken(steps);
    hold(BYTES_PER_SUBQUERY_STEP * steps, "a subquery of %,d steps".formatted(steps));
  }

  void releaseSteps(long steps) {
    use.memory().release(BYTES_PER_SUBQUERY_STEP * steps);
  }

  /** Counts samples of the result, those of one series. */
  void samples(Labels labels, int count) {
    use.giveWay();
    use.pointsReturned(count);
    hold(BYTES_PER_LABELS + labels.ownBytes() + 16L * count, "the result of a query");
  }
}

package dev.varve.engine.catalog;

import dev.varve.engine.request.Cardinality.Count;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Keeps the entries with the largest counts. */
final class Top {
  /** Largest count first; equal counts are ordered by name. */
  private static final Comparator<Count> ORDER =
      Comparator.comparingLong(Count::count).reversed().thenComparing(Count::name);

  private final int most;
  private final PriorityQueue<Count> kept = new PriorityQueue<>(ORDER.reversed());

  /**
   * @param most maximum number of entries, at least 1
   */
  Top(int most) {
    this.most = most;
  }

  /** Returns whether a count may be among the largest. */
  boolean wants(long count) {
    return kept.size() < most || count >= kept.element().count();
  }

  void add(String name, long count) {
    if (wants(count)) {
      kept.add(new Count(name, count));
      if (kept.size() > most) {
        kept.remove();
      }
    }
  }

  List<Count> sorted() {
    List<Count> all = new ArrayList<>(kept);
    all.sort(ORDER);
    return all;
  }
}

package dev.varve.formats.text;

import java.util.ArrayList;
import java.util.List;

/**
 * The parts of one line that were skipped, with their reasons, while the rest was read. Not
 * thread-safe.
 */
public final class LeftOut {
  /** Maximum number of reasons, because a line may have millions of points. */
  private static final int REASONS_MAX = 20;

  private final List<String> reasons = new ArrayList<>();
  private int count;

  void add(String reason) {
    count++;
    if (reasons.size() < REASONS_MAX) {
      reasons.add(reason);
    }
  }

  /** Returns the number of skipped parts. */
  public int count() {
    return count;
  }

  /** Returns the reasons in the order of the line: the first 20, and the number of further ones. */
  public List<String> reasons() {
    List<String> shown = new ArrayList<>(reasons);
    if (count > reasons.size()) {
      shown.add("and %,d more".formatted(count - reasons.size()));
    }
    return shown;
  }

  /** Returns the first reason and the number of further skipped parts. */
  String summary() {
    String first = reasons.isEmpty() ? "" : reasons.getFirst();
    return count > 1 ? "%s, and %,d more points are bad".formatted(first, count - 1) : first;
  }

  /** Begins another line. */
  public void clear() {
    reasons.clear();
    count = 0;
  }
}

package dev.varve.server.text;

import java.util.ArrayList;
import java.util.List;

/**
 * The parts of one line that were left out, with their reasons, while the rest of it was read. Not
 * safe for use by several threads.
 */
public final class LeftOut {
  /** A line may hold millions of points; the first reasons say enough. */
  private static final int REASONS_MAX = 20;

  private final List<String> reasons = new ArrayList<>();
  private int count;

  void add(String reason) {
    count++;
    if (reasons.size() < REASONS_MAX) {
      reasons.add(reason);
    }
  }

  /** How many parts were left out. */
  public int count() {
    return count;
  }

  /** The reasons, in the order of the line; of many parts the first 20, and how many follow. */
  public List<String> reasons() {
    List<String> shown = new ArrayList<>(reasons);
    if (count > reasons.size()) {
      shown.add("and %,d more".formatted(count - reasons.size()));
    }
    return shown;
  }

  /** The first reason, and how many parts were left out besides. */
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

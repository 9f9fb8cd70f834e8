package dev.varve.model;

/**
 * Recurring intervals of equal width, such as the last five minutes of every hour. They start at
 * {@code first}, {@code first + step}, {@code first + 2 step} and so on.
 *
 * @param first the start of the first interval, in some {@link Resolution}
 * @param step the distance between the starts of two neighbours, in the same unit
 * @param width the width of each interval, at least 1 and less than {@code step}, so that there are
 *     gaps
 */
public record Recurring(long first, long step, long width) {
  public Recurring {
    if (width < 1 || width >= step) {
      throw new IllegalArgumentException(
          "intervals of width %d every %d leave no gap between them".formatted(width, step));
    }
  }

  /** Returns whether any interval contains an instant of a non-empty range. */
  public boolean overlaps(TimeRange range) {
    return nextAt(range.from()) < range.to();
  }

  /**
   * Returns the first instant at or after {@code time} that lies in an interval, or {@link
   * Long#MAX_VALUE} if there is none.
   */
  public long nextAt(long time) {
    if (time <= first) {
      return first;
    }
    long since = time - first;
    if (since < 0) {
      // The distance overflows a long, so nothing can be ruled out.
      return time;
    }
    long into = since % step;
    if (into < width) {
      return time;
    }
    long next = time + (step - into);
    return next < time ? Long.MAX_VALUE : next;
  }
}

package dev.varve.model;

/**
 * Stretches of time of one length that recur, such as the last five minutes of every hour: those
 * that begin at {@code first}, {@code first + step}, {@code first + 2 step} and so on.
 *
 * @param first the time at which the first begins, in some {@link Resolution}
 * @param step from the beginning of one to that of the next
 * @param width of each, at least 1 and less than {@code step}, so that there are gaps
 */
public record Recurring(long first, long step, long width) {
  public Recurring {
    if (width < 1 || width >= step) {
      throw new IllegalArgumentException(
          "stretches of %d in steps of %d leave no gap between them".formatted(width, step));
    }
  }

  /** Whether one of them has an instant in a range that is not empty. */
  public boolean overlaps(TimeRange range) {
    return nextAt(range.from()) < range.to();
  }

  /** The first instant of any of them that is not before a time; the greatest of all if none is. */
  public long nextAt(long time) {
    if (time <= first) {
      return first;
    }
    long since = time - first;
    if (since < 0) {
      // Further apart than a long tells: of what is that wide nothing is left out.
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

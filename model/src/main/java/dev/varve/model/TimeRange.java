package dev.varve.model;

/**
 * A half-open range of times in some {@link Resolution}, including {@code from} and excluding
 * {@code to}. {@link Long#MAX_VALUE} is the one instant that no range can contain.
 */
public record TimeRange(long from, long to) {
  public static final TimeRange ALL = new TimeRange(Long.MIN_VALUE, Long.MAX_VALUE);

  public TimeRange {
    if (from > to) {
      throw new IllegalArgumentException(
          "time range ends at " + to + ", before it starts at " + from);
    }
  }

  /**
   * Returns the range from {@code first} to {@code last}, both inclusive. A {@code last} of {@link
   * Long#MAX_VALUE} is treated as one less.
   */
  public static TimeRange closed(long first, long last) {
    return new TimeRange(first, last == Long.MAX_VALUE ? last : last + 1);
  }

  public boolean contains(long time) {
    return time >= from && time < to;
  }

  public boolean isEmpty() {
    return from == to;
  }

  public boolean overlaps(TimeRange other) {
    return from < other.to && other.from < to;
  }

  /**
   * Returns the intersection. If the ranges do not overlap, it is empty and starts at the later of
   * the two starts.
   */
  public TimeRange intersect(TimeRange other) {
    long start = Math.max(from, other.from);
    return new TimeRange(start, Math.max(start, Math.min(to, other.to)));
  }
}

package dev.varve.model;

/**
 * A half-open stretch of time in some {@link Resolution}: {@code from} belongs to it, {@code to}
 * does not. The one instant that a half-open range of longs cannot hold, {@link Long#MAX_VALUE},
 * belongs to no range.
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
   * The range from {@code first} to {@code last}, both in it; {@code last} saturates one short of
   * {@link Long#MAX_VALUE}.
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

  /** The part that both hold; empty, at the later of the starts, where there is none. */
  public TimeRange intersect(TimeRange other) {
    long start = Math.max(from, other.from);
    return new TimeRange(start, Math.max(start, Math.min(to, other.to)));
  }
}

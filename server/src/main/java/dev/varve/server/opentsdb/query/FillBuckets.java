package dev.varve.server.opentsdb.query;

import dev.varve.query.running.QueryUse;

/** Emits a point for every bucket of the scanned range, empty or not. */
final class FillBuckets implements PointSink {
  private final Buckets buckets;
  private final double fill;
  private final QueryUse use;
  private final PointSink next;
  private final long end;
  private long due;

  /**
   * Creates a stage.
   *
   * @param scanFrom start of the scanned range
   * @param scanTo end of the scanned range
   */
  FillBuckets(
      Buckets buckets, double fill, long scanFrom, long scanTo, QueryUse use, PointSink next) {
    this.buckets = buckets;
    this.fill = fill;
    this.use = use;
    this.next = next;
    this.due = buckets.floor(scanFrom);
    long last = buckets.floor(scanTo);
    this.end = last == due && buckets instanceof Buckets.OfCalendar ? buckets.after(last) : last;
  }

  @Override
  public void whole(long time, long value) {
    real(time, (double) value);
  }

  @Override
  public void real(long time, double value) {
    fillTo(Math.min(time, end));
    if (time == due && time < end) {
      next.real(time, value);
      due = buckets.after(due);
    }
  }

  private void fillTo(long time) {
    while (due < time) {
      next.real(due, fill);
      due = buckets.after(due);
      use.ensureWanted();
    }
  }

  @Override
  public void end() {
    fillTo(end);
    next.end();
  }
}

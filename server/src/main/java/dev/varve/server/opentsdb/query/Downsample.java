package dev.varve.server.opentsdb.query;

import dev.varve.query.running.QueryUse;
import dev.varve.server.opentsdb.aggregator.Fold;
import java.util.Arrays;

/** Emits a double per bucket with points, at the start of the bucket. */
final class Downsample implements PointSink {
  private final Buckets buckets;
  private final Fold fold;
  private final QueryUse use;
  private final PointSink next;

  /** The first bucket begins at this time or later; points before it are dropped. */
  private final long from;

  private double[] values = new double[16];
  private int count;
  private long start;
  private long end = Long.MIN_VALUE;

  Downsample(Buckets buckets, Fold fold, long scanFrom, QueryUse use, PointSink next) {
    this.buckets = buckets;
    this.fold = fold;
    this.use = use;
    this.next = next;
    this.from = buckets.ceiling(scanFrom);
  }

  @Override
  public void whole(long time, long value) {
    real(time, (double) value);
  }

  @Override
  public void real(long time, double value) {
    if (time < from) {
      return;
    }
    if (time >= end) {
      emit();
      start = end == Long.MIN_VALUE ? buckets.floor(time) : buckets.advance(start, time);
      end = buckets.after(start);
    }
    if (count == values.length) {
      use.memory().hold(8L * values.length, "the points of one bucket of an OpenTSDB query");
      values = Arrays.copyOf(values, 2 * count);
    }
    values[count++] = value;
  }

  private void emit() {
    if (count > 0) {
      next.real(start, fold.doubles(values, count));
      count = 0;
      use.ensureWanted();
    }
  }

  @Override
  public void end() {
    emit();
    next.end();
  }
}

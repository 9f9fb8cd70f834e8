package dev.varve.server.opentsdb.query;

import dev.varve.query.running.QueryUse;
import dev.varve.server.opentsdb.aggregator.Fold;
import java.util.Arrays;

/**
 * Emits one double for all points of the requested range, at its start; nothing if there are none.
 */
final class WholeRange implements PointSink {
  private final long from;
  private final long to;
  private final Fold fold;
  private final QueryUse use;
  private final PointSink next;
  private double[] values = new double[16];
  private int count;

  /**
   * Creates a stage.
   *
   * @param to end of the range, exclusive
   */
  WholeRange(long from, long to, Fold fold, QueryUse use, PointSink next) {
    this.from = from;
    this.to = to;
    this.fold = fold;
    this.use = use;
    this.next = next;
  }

  @Override
  public void whole(long time, long value) {
    real(time, (double) value);
  }

  @Override
  public void real(long time, double value) {
    if (time < from || time >= to) {
      return;
    }
    if (count == values.length) {
      use.memory().hold(8L * values.length, "the points of one bucket of an OpenTSDB query");
      values = Arrays.copyOf(values, 2 * count);
    }
    values[count++] = value;
  }

  @Override
  public void end() {
    if (count > 0) {
      next.real(from, fold.doubles(values, count));
    }
    next.end();
  }
}

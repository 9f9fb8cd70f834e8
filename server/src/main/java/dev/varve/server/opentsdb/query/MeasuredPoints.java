package dev.varve.server.opentsdb.query;

import dev.varve.engine.request.ReadRequest;
import dev.varve.query.Analysis;
import org.jspecify.annotations.Nullable;

/**
 * Counts the series and points that an operation passes on, and the time that the next one takes.
 * The clock is read at each point, which costs as much as a simple operation.
 */
final class MeasuredPoints implements PointSink {
  private final Analysis<Operation, ReadRequest> analysis;
  private final @Nullable Operation from;
  private final @Nullable Operation to;
  private final PointSink next;

  /**
   * Creates a stage between two operations.
   *
   * @param from null for the read
   * @param to null for the end
   */
  MeasuredPoints(
      Analysis<Operation, ReadRequest> analysis,
      @Nullable Operation from,
      @Nullable Operation to,
      PointSink next) {
    this.analysis = analysis;
    this.from = from;
    this.to = to;
    this.next = next;
  }

  private void returned(long series, long points) {
    if (from != null) {
      analysis.returned(from, series, points);
    }
  }

  @Override
  public void whole(long time, long value) {
    returned(0, 1);
    Operation before = analysis.enter(to);
    next.whole(time, value);
    analysis.enter(before);
  }

  @Override
  public void real(long time, double value) {
    returned(0, 1);
    Operation before = analysis.enter(to);
    next.real(time, value);
    analysis.enter(before);
  }

  @Override
  public void end() {
    returned(1, 0);
    Operation before = analysis.enter(to);
    next.end();
    analysis.enter(before);
  }
}

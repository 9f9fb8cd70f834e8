package dev.varve.query;

import dev.varve.model.Samples;
import dev.varve.model.Value;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryUse;
import dev.varve.query.running.Runs;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Collects a result in lists, for comparison. */
final class Collected implements ResultSink {
  /**
   * One sample.
   *
   * @param value null for a gap
   */
  record Point(long time, @Nullable Value value) {
    static Point of(long time, long value) {
      return new Point(time, new Value.Int64(value));
    }

    static Point of(long time, double value) {
      return new Point(time, new Value.Real(value));
    }

    static Point of(long time, String value) {
      return new Point(time, new Value.Text(value));
    }
  }

  final Map<ResultSeries, List<Point>> series = new LinkedHashMap<>();
  private List<Point> open = new ArrayList<>();

  static Collected of(QueryPlan plan, Runs runs) {
    return of(plan, runs, Long.MAX_VALUE / 2);
  }

  static Collected of(QueryPlan plan, Runs runs, long memory) {
    return of(plan, runs, QueryUse.of(QueryLimits.DEFAULTS.withMemory(memory)));
  }

  static Collected of(QueryPlan plan, Runs runs, QueryUse use) {
    Collected collected = new Collected();
    new QueryRun(plan, use.runs(runs), use).into(collected);
    return collected;
  }

  /** Returns the samples of each series by its labels. */
  Map<Map<String, String>, List<Point>> byLabels() {
    Map<Map<String, String>, List<Point>> byLabels = new LinkedHashMap<>();
    series.forEach((one, points) ->
        byLabels.merge(
            one.labels(),
            points,
            (a, b) -> {
              throw new AssertionError("two series with labels " + one.labels());
            }));
    return byLabels;
  }

  List<Point> only() {
    if (series.size() != 1) {
      throw new AssertionError("expected one series, found " + series.keySet());
    }
    return series.values().iterator().next();
  }

  @Override
  public void begin(ResultSeries one) {
    open = new ArrayList<>();
    series.put(one, open);
  }

  @Override
  public void samples(Samples samples, int from, int to) {
    for (int i = from; i < to; i++) {
      open.add(new Point(samples.time(i), samples.value(i)));
    }
  }

  @Override
  public void gap(long time) {
    open.add(new Point(time, null));
  }

  @Override
  public void end() {}
}

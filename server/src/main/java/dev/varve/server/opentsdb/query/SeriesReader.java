package dev.varve.server.opentsdb.query;

import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Series;
import dev.varve.query.running.QueryUse;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Passes one series through the stages of a query. The average of roll-ups takes two fields of it,
 * whose sums per bucket are divided.
 */
final class SeriesReader {
  private final String metric;
  private final Map<String, String> tags;
  private final Stages stages;
  private final Resolution resolution;
  private final QueryUse use;
  private final Points result;
  private final Map<String, RunReader> readers = new TreeMap<>();

  /**
   * Creates a reader.
   *
   * @param tags the tags of the series
   */
  SeriesReader(
      String metric, Map<String, String> tags, Stages stages, Resolution resolution, QueryUse use) {
    this.metric = metric;
    this.tags = tags;
    this.stages = stages;
    this.resolution = resolution;
    this.use = use;
    this.result = new Points(use.memory());
  }

  String metric() {
    return metric;
  }

  Map<String, String> tags() {
    return tags;
  }

  void take(Run run) {
    String field = stages.dividesSums() ? run.series().field() : Series.DEFAULT_FIELD;
    readers.computeIfAbsent(field, this::reader).take(run.samples());
  }

  private RunReader reader(String field) {
    Points points = stages.dividesSums() ? new Points(use.memory()) : result;
    return new RunReader(points, stages.dividesSums() ? points : stages.of(result), resolution);
  }

  /** Ends the series. Returns its points; null if it had no number. */
  @Nullable Points end() {
    if (!stages.dividesSums()) {
      RunReader reader = readers.get(Series.DEFAULT_FIELD);
      return reader != null && reader.end() ? result : null;
    }
    RunReader sums = readers.get(Sources.SUM);
    RunReader counts = readers.get(Sources.COUNT);
    if (sums == null || counts == null || !sums.end() || !counts.end()) {
      return null;
    }
    divide(sums.points(), counts.points());
    return result;
  }

  /** Divides the sums by the counts of the intervals that have both. */
  private void divide(Points sums, Points counts) {
    Points sum = new Points(use.memory());
    Points count = new Points(use.memory());
    PointSink toSum = stages.summed(sum);
    PointSink toCount = stages.summed(count);
    int other = 0;
    for (int i = 0; i < sums.size(); i++) {
      while (other < counts.size() && counts.time(other) < sums.time(i)) {
        other++;
      }
      if (other < counts.size() && counts.time(other) == sums.time(i)) {
        sums.pass(i, toSum);
        counts.pass(other, toCount);
      }
    }
    toSum.end();
    toCount.end();
    PointSink rest = stages.afterDownsampling(result);
    for (int i = 0; i < sum.size(); i++) {
      double number = count.number(i);
      rest.real(sum.time(i), number == 0 ? 0 : sum.number(i) / number);
    }
    rest.end();
  }
}

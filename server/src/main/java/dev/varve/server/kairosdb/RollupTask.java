package dev.varve.server.kairosdb;

import dev.varve.model.Resolution;
import dev.varve.server.kairosdb.Properties.Length;
import dev.varve.server.kairosdb.QueryRequest.MetricQuery;
import java.time.Clock;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A task that computes metrics from others again and again.
 *
 * @param interval from one execution to the next, at least one unit
 * @param queries of all its roll-ups, in order
 * @param json the task as it was sent, with its ID
 */
record RollupTask(String id, String name, Length interval, List<RollupQuery> queries, String json) {
  RollupTask {
    queries = List.copyOf(queries);
  }

  /**
   * The query of one metric.
   *
   * @param metric the metric that is read
   * @param saveAs the metric that is written
   * @param query the whole query as JSON
   * @param index of the metric in the query
   * @param last index of the last aggregator of ranges, which determines the windows
   * @param sampling length of a window, at least one unit
   * @param zone of the windows
   */
  record RollupQuery(
      String metric,
      String saveAs,
      Map<String, @Nullable Object> query,
      int index,
      int last,
      Length sampling,
      ZoneId zone) {
    /** Compiles the query for some windows. */
    MetricQuery over(RollupStretch stretch, Clock clock, Resolution resolution) {
      Map<String, @Nullable Object> all = new LinkedHashMap<>(query);
      all.keySet().removeAll(List.of("start_relative", "end_relative"));
      all.put("start_absolute", number(stretch.from()));
      all.put("end_absolute", number(stretch.end() - 1));
      all.put("metrics", List.of(saving(stretch)));
      return new QueryReader(clock, resolution).read(all).metrics().getFirst();
    }

    private Map<String, @Nullable Object> saving(RollupStretch stretch) {
      List<@Nullable Object> metrics = Properties.array(query.get("metrics"));
      Map<String, @Nullable Object> saving =
          new LinkedHashMap<>(Properties.object(metrics.get(index)));
      List<@Nullable Object> aggregators =
          new ArrayList<>(Properties.array(saving.get("aggregators")));
      Map<String, @Nullable Object> windows =
          new LinkedHashMap<>(Properties.object(aggregators.get(last)));
      windows.put("align_sampling", true);
      windows.put("start_time", number(stretch.origin()));
      // The empty name is UTC, whose ID is "Z" in Java alone.
      windows.put("time_zone", zone.equals(ZoneOffset.UTC) ? "" : zone.getId());
      aggregators.set(last, windows);
      Map<String, @Nullable Object> save = new LinkedHashMap<>();
      save.put("name", SaveAs.NAME);
      save.put("metric_name", saveAs);
      aggregators.add(save);
      saving.put("aggregators", aggregators);
      return saving;
    }

    private static JsonTree.Numeral number(long value) {
      return new JsonTree.Numeral(Long.toString(value));
    }
  }
}

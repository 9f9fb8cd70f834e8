package dev.varve.bench.compare;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** The queries of the Time Series Benchmark Suite's use case DevOps. */
record TsbsQueries(DataSet data) {
  private static final long HOUR = DataSet.HOUR;

  List<QueryType> types() {
    return List.of(
        new QueryType("single-groupby-1-1-1", "", random -> greatest(random, 1, 1, 1)),
        new QueryType("single-groupby-1-1-12", "", random -> greatest(random, 1, 1, 12)),
        new QueryType("single-groupby-1-8-1", "", random -> greatest(random, 1, 8, 1)),
        new QueryType("single-groupby-5-1-1", "", random -> greatest(random, 5, 1, 1)),
        new QueryType("single-groupby-5-1-12", "", random -> greatest(random, 5, 1, 12)),
        new QueryType("single-groupby-5-8-1", "", random -> greatest(random, 5, 8, 1)),
        new QueryType("cpu-max-all-1", "", random -> greatestOfHours(random, 1)),
        new QueryType("cpu-max-all-8", "", random -> greatestOfHours(random, 8)),
        new QueryType("double-groupby-1", "", random -> means(random, 1)),
        new QueryType("double-groupby-5", "", random -> means(random, 5)),
        new QueryType("double-groupby-all", "", random -> means(random, 10)),
        new QueryType("high-cpu-1", "", random -> busy(random, List.of(host(random)))),
        new QueryType("high-cpu-all", "", random -> busy(random, List.of())),
        new QueryType("lastpoint", "", this::last),
        new QueryType("groupby-orderby-limit", "", this::lastMinutes));
  }

  /** The greatest value of each minute over some hosts, by metric. */
  private Question greatest(SplittableRandom random, int metrics, int hosts, int hours) {
    List<String> selected = hosts(random, hosts);
    long from = QueryType.from(random, data, hours * HOUR);
    return new TsbsBuckets(metrics, "max", selected, false, DataSet.MINUTE)
        .question(from, from + hours * HOUR);
  }

  /** The greatest value of each of eight hours over some hosts, by metric. */
  private Question greatestOfHours(SplittableRandom random, int hosts) {
    List<String> selected = hosts(random, hosts);
    long from = QueryType.from(random, data, 8 * HOUR);
    return new TsbsBuckets(10, "max", selected, false, HOUR).question(from, from + 8 * HOUR);
  }

  /** The mean of each of twelve hours, by host and metric. */
  private Question means(SplittableRandom random, int metrics) {
    long from = QueryType.from(random, data, 12 * HOUR);
    return new TsbsBuckets(metrics, "avg", List.of(), true, HOUR).question(from, from + 12 * HOUR);
  }

  /** All values at the instants of twelve hours at which user time is above 90. */
  private Question busy(SplittableRandom random, List<String> host) {
    long from = QueryType.from(random, data, 12 * HOUR);
    long until = from + 12 * HOUR;
    String one = host.isEmpty() ? "" : "hostname=\"%s\"".formatted(host.getFirst());
    String text =
        "{__name__=~\"cpu_usage_.+\",%s} and on (hostname) (cpu_usage_user{%s} > 90)"
            .formatted(one, one);
    String rows = "SELECT * FROM cpu WHERE usage_user > 90 AND %s" + TsbsBuckets.ofHosts(host);
    Map<Language, String> texts =
        Map.of(
            Language.PROMQL,
            text,
            Language.METRICSQL,
            text,
            Language.INFLUXQL,
            rows.formatted(TsbsBuckets.influxRange(from, until)),
            Language.SQL,
            rows.formatted(TsbsBuckets.sqlRange(from, until)));
    return Question.ofRange(texts, from, until, TsbsSeries.STEP);
  }

  /** The last value of each series. PromQL needs its time; the other languages find it. */
  private Question last(SplittableRandom random) {
    String text = "{__name__=~\"cpu_usage_.+\"}";
    Map<Language, String> texts =
        Map.of(
            Language.PROMQL,
            text,
            Language.METRICSQL,
            text,
            Language.INFLUXQL,
            "SELECT * FROM cpu GROUP BY hostname ORDER BY time DESC LIMIT 1",
            Language.SQL,
            "SELECT * FROM cpu LATEST ON timestamp PARTITION BY hostname");
    // A millisecond makes it another query.
    return Question.ofInstant(texts, data.end() - 1 - random.nextInt(5_000));
  }

  /** The greatest user time of each of the last five minutes before some time. */
  private Question lastMinutes(SplittableRandom random) {
    String text = "max(max_over_time(cpu_usage_user[1m]))";
    long from = QueryType.from(random, data, 5 * DataSet.MINUTE);
    long until = from + 5 * DataSet.MINUTE;
    String influx =
        "SELECT max(usage_user) AS value FROM cpu WHERE time < %dms GROUP BY time(1m) ORDER BY time DESC LIMIT 5"
            .formatted(until);
    String sql =
        "SELECT timestamp, max(usage_user) AS value FROM cpu WHERE timestamp < '%s' SAMPLE BY 1m ALIGN TO CALENDAR ORDER BY timestamp DESC LIMIT 5"
            .formatted(TsbsBuckets.iso(until));
    Map<Language, String> texts =
        Map.of(
            Language.PROMQL, text,
            Language.METRICSQL, text,
            Language.INFLUXQL, influx,
            Language.SQL, sql);
    return Question.ofBuckets(texts, from, until, DataSet.MINUTE);
  }

  private String host(SplittableRandom random) {
    int hosts = data.entities().size();
    return String.valueOf(data.entities().get(random.nextInt(hosts)).tags().get("hostname"));
  }

  private List<String> hosts(SplittableRandom random, int count) {
    Set<String> names = new LinkedHashSet<>();
    while (names.size() < Math.min(count, data.entities().size())) {
      names.add(host(random));
    }
    return new ArrayList<>(names);
  }
}

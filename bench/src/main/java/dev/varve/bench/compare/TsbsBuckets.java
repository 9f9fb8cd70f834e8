package dev.varve.bench.compare;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Values of metrics in buckets of time, in four languages.
 *
 * @param metrics number of metrics
 * @param aggregation {@code max} or {@code avg}
 * @param hosts whose values are taken; empty for all
 * @param byHost true for a series of each host
 * @param bucket in ms
 */
record TsbsBuckets(
    int metrics, String aggregation, List<String> hosts, boolean byHost, long bucket) {

  /** Asks for the buckets of a range, whose length is a multiple of a bucket's. */
  Question question(long from, long until) {
    return Question.ofBuckets(
        Map.of(
            Language.PROMQL, promQl(),
            Language.METRICSQL, metricsQl(),
            Language.INFLUXQL, influxQl(from, until),
            Language.SQL, sql(from, until)),
        from,
        until,
        bucket);
  }

  /**
   * A union with one term a metric, since functions over time drop the metric's name, and {@code
   * or} does not look at it.
   */
  private String promQl() {
    String by = byHost ? " by (hostname)" : "";
    return columns(
        " or ",
        name ->
            "label_replace(%s%s (%s_over_time(cpu_%s{%s}[%s])), \"metric\", \"cpu_%s\", \"\", \"\")"
                .formatted(aggregation, by, aggregation, name, pattern(), width(), name));
  }

  private String metricsQl() {
    String names = columns("|", name -> name);
    return "%s by (%s__name__) (%s_over_time({__name__=~\"cpu_(%s)\",%s}[%s]))"
        .formatted(aggregation, byHost ? "hostname, " : "", aggregation, names, pattern(), width());
  }

  private String influxQl(long from, long until) {
    String function = aggregation.equals("avg") ? "mean" : aggregation;
    return "SELECT %s FROM cpu WHERE %s%s GROUP BY time(%s,%dms)%s"
        .formatted(
            columns(", ", name -> "%s(%s) AS %s".formatted(function, name, name)),
            influxRange(from, until),
            ofHosts(hosts),
            width(),
            from % bucket,
            byHost ? ", hostname" : "");
  }

  private String sql(long from, long until) {
    return "SELECT timestamp, %s%s FROM cpu WHERE %s%s SAMPLE BY %s ALIGN TO CALENDAR WITH OFFSET '00:%02d'"
        .formatted(
            byHost ? "hostname, " : "",
            columns(", ", name -> "%s(%s) AS %s".formatted(aggregation, name, name)),
            sqlRange(from, until),
            ofHosts(hosts),
            width(),
            from % bucket / DataSet.MINUTE);
  }

  private String columns(String separator, Function<String, String> column) {
    return TsbsSeries.FIELDS.subList(0, metrics).stream()
        .map(column)
        .collect(Collectors.joining(separator));
  }

  private String width() {
    return bucket == DataSet.MINUTE ? "1m" : "1h";
  }

  private String pattern() {
    return hosts.isEmpty() ? "" : "hostname=~\"%s\"".formatted(String.join("|", hosts));
  }

  static String influxRange(long from, long until) {
    return "time >= %dms AND time < %dms".formatted(from, until);
  }

  static String sqlRange(long from, long until) {
    return "timestamp >= '%s' AND timestamp < '%s'".formatted(iso(from), iso(until));
  }

  static String iso(long millis) {
    return Instant.ofEpochMilli(millis).toString();
  }

  /** Returns a condition in SQL and InfluxQL, with {@code AND} before it. */
  static String ofHosts(List<String> hosts) {
    return hosts.isEmpty()
        ? ""
        : hosts.stream()
            .map("hostname = '%s'"::formatted)
            .collect(Collectors.joining(" OR ", " AND (", ")"));
  }
}

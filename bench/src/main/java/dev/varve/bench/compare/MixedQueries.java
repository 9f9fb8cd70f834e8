package dev.varve.bench.compare;

import java.util.List;
import java.util.SplittableRandom;

/** Panels of a dashboard over the mixed set, in words that Prometheus and VictoriaMetrics share. */
record MixedQueries(DataSet data) {
  private static final long HOUR = DataSet.HOUR;
  private static final String RATES = "it does not extrapolate rates to the ends of a range";
  private static final String GAPS = "it ends a series after fewer missed scrapes";

  List<QueryType> types() {
    return List.of(
        new QueryType("panel-gauge-1host", GAPS, this::gauge),
        new QueryType("rate-1host", RATES, this::rate),
        new QueryType(
            "rate-fleet",
            RATES,
            random -> panel(random, "sum by (mode) (rate(node_cpu_seconds_total[5m]))")),
        new QueryType(
            "quantile-fleet",
            RATES,
            random ->
                panel(
                    random,
                    "histogram_quantile(0.99, sum by (le) (rate(http_request_duration_seconds_bucket[5m])))")),
        new QueryType("regex-many", "", this::pattern),
        new QueryType(
            "avg-1-metric-all",
            "",
            random -> panel(random, "avg(avg_over_time(node_temperature_celsius[5m]))")));
  }

  /** Six hours at steps of a minute. */
  private Question panel(SplittableRandom random, String text) {
    long from = QueryType.from(random, data, 6 * HOUR);
    return Question.ofRange(text, from, from + 6 * HOUR, DataSet.MINUTE);
  }

  /** Eight gauges as they are, for an hour at the interval of the scrapes. */
  private Question gauge(SplittableRandom random) {
    String text = "node_memory_bytes{instance=\"%s\"}".formatted(instance(random));
    // The first scrape of an instance may be missing, and nothing lies before it.
    long from = QueryType.from(random, data, HOUR + 5 * DataSet.MINUTE) + 5 * DataSet.MINUTE;
    return Question.ofRange(text, from, from + HOUR, MixedSeries.STEP);
  }

  private Question rate(SplittableRandom random) {
    String text =
        "sum by (mode) (rate(node_cpu_seconds_total{instance=\"%s\"}[5m]))"
            .formatted(instance(random));
    return panel(random, text);
  }

  /** A tenth to all of the instances, by a pattern that no index of values answers at once. */
  private Question pattern(SplittableRandom random) {
    String text =
        "avg by (sensor) (avg_over_time(node_temperature_celsius{instance=~\"10.+[%d-9]:9100\",sensor=~\"temp[0-3]\"}[5m]))"
            .formatted(random.nextInt(6));
    return panel(random, text);
  }

  private String instance(SplittableRandom random) {
    int entities = data.entities().size();
    return String.valueOf(data.entities().get(random.nextInt(entities)).tags().get("instance"));
  }
}

package dev.varve.server.operations;

import dev.varve.engine.request.WriteResult;
import dev.varve.query.running.EndedQuery;
import dev.varve.query.running.QueryUse;
import dev.varve.server.http.RateLimitedLog;
import dev.varve.server.http.RequestListener;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.ingest.IngestListener;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The server's own metrics. Thread-safe. */
public final class ServerMetrics implements RequestListener, IngestListener {
  private static final double[] SECONDS = {
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120,
  };

  /** Senders of line protocols never read an answer, so the log shows their refusals. */
  private final RateLimitedLog refusalLog = new RateLimitedLog("refused");

  private final PrometheusRegistry registry = new PrometheusRegistry();

  private final Counter requests =
      counter("varve_http_requests", "Requests answered.", "dialect", "path", "status");
  private final Histogram requestSeconds =
      histogram(
          "varve_http_request_seconds", "Time from a request to its answer.", "dialect", "path");
  private final Counter bytesIn =
      counter("varve_http_request_bytes", "Bytes of bodies before decompression.", "dialect");
  private final Counter bytesOut =
      counter("varve_http_response_bytes", "Bytes of answers before compression.", "dialect");
  private final Counter accepted =
      counter("varve_samples_accepted", "Samples made durable.", "dataset", "dialect");
  private final Counter refused =
      counter(
          "varve_samples_refused",
          "Samples that were refused, by the rule that they broke.",
          "dataset",
          "dialect",
          "rule");

  /**
   * Cached counters of refusals: a body may have millions of refusals, each recorded separately.
   */
  private final Map<Refusing, Refusals> refusalsBy = new ConcurrentHashMap<>();

  private final Counter dropped =
      counter(
          "varve_samples_dropped",
          "Samples that the rules of write.relabel dropped.",
          "dataset",
          "dialect");
  private final Counter coerced =
      counter(
          "varve_samples_coerced",
          "Integers stored as doubles, as the layout holds no integers.",
          "dataset",
          "dialect");
  private final Counter ttlIgnored =
      counter(
          "varve_samples_ttl_ignored",
          "Samples that are kept for longer than the time to live that their sender named.",
          "dataset",
          "dialect");
  private final Histogram writeSeconds =
      histogram("varve_write_seconds", "Time until a batch is durable.", "dataset");
  private final Counter queries =
      counter("varve_queries", "Queries, by how they ended.", "dataset", "language", "outcome");
  private final Histogram querySeconds =
      histogram(
          "varve_query_seconds",
          "Time that a query runs, its answer included.",
          "language",
          "outcome");
  private final Histogram queryWaitSeconds =
      histogram("varve_query_wait_seconds", "Time that a query waits for others.", "language");
  private final Counter querySamples =
      counter("varve_query_samples", "Samples that queries read.", "dataset", "language");
  private final Counter queryCells =
      counter("varve_query_cells_read", "Cells that stores looked at.", "dataset", "language");
  private final Counter queryBytes =
      counter("varve_query_bytes_read", "Bytes of these cells.", "dataset", "language");
  private final Counter lines =
      counter(
          "varve_lines", "Lines of line protocols, by what became of them.", "dialect", "outcome");

  public ServerMetrics() {
    new RuntimeFigures().register(registry);
  }

  /** The labels of a counter of refusals: the broken rule, the dialect, and the dataset. */
  private record Refusing(String dataset, String dialect, String rule) {
    String toText() {
      return "dataset=%s dialect=%s rule=%s".formatted(dataset, dialect, rule);
    }
  }

  private record Refusals(CounterDataPoint count, String kind) {}

  private Counter counter(String name, String help, String... labels) {
    return Counter.builder().name(name).help(help).labelNames(labels).register(registry);
  }

  private Histogram histogram(String name, String help, String... labels) {
    return Histogram.builder()
        .name(name)
        .help(help)
        .labelNames(labels)
        .classicOnly()
        .classicUpperBounds(SECONDS)
        .register(registry);
  }

  /** Exports the versions of the build and of Java. */
  public void build(String version) {
    Info.builder()
        .name("varve_build_info")
        .help("The build that runs, and its Java.")
        .labelNames("version", "java", "vm")
        .register(registry)
        .setLabelValues(
            version, Runtime.version().toString(), System.getProperty("java.vm.name", ""));
  }

  public void gauge(String name, String help, LongSupplier value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .callback(callback -> callback.call((double) value.getAsLong()))
        .register(registry);
  }

  /** Exports the fill of the write budget and its refusals. */
  public void writes(WriteBudget budget) {
    gauge(
        "varve_write_budget_bytes",
        "Bytes that were received and are not written yet, over all protocols.",
        budget::used);
    gauge("varve_write_budget_max_bytes", "Bytes that may be held of these.", budget::max);
    CounterWithCallback.builder()
        .name("varve_write_budget_refusals")
        .help("Times that there was no room for a write, by reason.")
        .labelNames("reason")
        .callback(to -> {
          for (WriteBudget.Refusal refusal : WriteBudget.Refusal.values()) {
            to.call((double) budget.refused(refusal), refusal.label());
          }
        })
        .register(registry);
  }

  /**
   * Exports figures under their names with the prefix {@code varve_}: counters if they end in
   * {@code _total}.
   */
  public void figures(Supplier<Map<String, Double>> figures) {
    registry.register(new EngineFigures(figures));
  }

  PrometheusRegistry registry() {
    return registry;
  }

  MetricSnapshots scrape() {
    return registry.scrape();
  }

  @Override
  public void answered(String dialect, String path, int status, long nanos, long in, long out) {
    requests.labelValues(dialect, path, Integer.toString(status)).inc();
    requestSeconds.labelValues(dialect, path).observe(nanos / 1e9);
    bytesIn.labelValues(dialect).inc(in);
    bytesOut.labelValues(dialect).inc(out);
  }

  @Override
  public void written(
      String dataset, String dialect, WriteResult result, int converted, long nanos) {
    if (result.accepted() > 0) {
      accepted.labelValues(dataset, dialect).inc(result.accepted());
    }
    if (converted > 0) {
      coerced.labelValues(dataset, dialect).inc(converted);
    }
    if (nanos >= 0) {
      writeSeconds.labelValues(dataset).observe(nanos / 1e9);
    }
    result
        .refusedByRule()
        .forEach((rule, count) -> refused(dataset, dialect, rule, count, () -> of(rule, result)));
  }

  /** Returns the first rejection by a rule. Reasons are kept for the first thousand of a batch. */
  private static String of(String rule, WriteResult result) {
    return result.rejections().stream()
        .filter(rejection -> rejection.refusal().rule().equals(rule))
        .findFirst()
        .map(rejection -> rejection.key() + ": " + rejection.refusal().message())
        .orElse("no example was kept");
  }

  @Override
  public void refused(
      String dataset, String dialect, String rule, long count, Supplier<String> example) {
    Refusals known =
        refusalsBy.computeIfAbsent(
            new Refusing(dataset, dialect, rule),
            one -> new Refusals(refused.labelValues(dataset, dialect, rule), one.toText()));
    known.count.inc(count);
    refusalLog.warn(known.kind, count, example);
  }

  /** Logs what was held back, before the server stops. */
  public void flushLog() {
    refusalLog.flush();
  }

  @Override
  public void dropped(String dataset, String dialect, long samples) {
    dropped.labelValues(dataset, dialect).inc(samples);
  }

  /** Counts a finished query. */
  public void ended(EndedQuery query) {
    String dataset = query.query().origin().dataset();
    String language = query.query().origin().language();
    String outcome = query.outcome().text();
    QueryUse use = query.query().use();
    queries.labelValues(dataset, language, outcome).inc();
    querySeconds.labelValues(language, outcome).observe(query.ran().toNanos() / 1e9);
    queryWaitSeconds.labelValues(language).observe(query.waited().toNanos() / 1e9);
    querySamples.labelValues(dataset, language).inc(use.samplesRead());
    queryCells.labelValues(dataset, language).inc(use.cost().cellsRead());
    queryBytes.labelValues(dataset, language).inc(use.cost().bytesRead());
  }

  /**
   * Counts samples whose time to live is ignored.
   *
   * @return whether these are the first
   */
  public boolean ttlIgnored(String dataset, String dialect, long samples) {
    CounterDataPoint count = ttlIgnored.labelValues(dataset, dialect);
    boolean first = count.getLongValue() == 0;
    count.inc(samples);
    return first;
  }

  /** Counts lines of a line protocol. */
  public void lines(String dialect, String outcome, int count) {
    lines.labelValues(dialect, outcome).inc(count);
  }
}

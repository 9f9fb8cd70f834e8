package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.query.running.RunningQuery;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.opentsdb.aggregator.Aggregator;
import dev.varve.server.opentsdb.query.JsonAnswer;
import dev.varve.server.opentsdb.rollup.Rollups;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** Routes about the server itself: version, settings, filters, aggregators and statistics. */
final class About {
  /** The settings that clients look at. */
  private static final Map<String, String> CONFIG =
      new TreeMap<>(
          Map.of(
              "tsd.core.auto_create_metrics",
              "true",
              "tsd.core.timezone",
              "UTC",
              "tsd.http.query.allow_delete",
              "false",
              "tsd.http.request.enable_chunked",
              "true",
              "tsd.http.show_stack_trace",
              "false",
              "tsd.mode",
              "rw",
              "tsd.query.skip_unresolved_tagvs",
              "false",
              "tsd.storage.fix_duplicates",
              "true"));

  /** A type of filter. */
  private record FilterText(String example, String filter, String description) {}

  private static final Map<String, FilterText> FILTERS = new TreeMap<>();

  static {
    FILTERS.put(
        "literal_or",
        new FilterText(
            "web01|web02", "web01|web02", "Takes the values that are listed, with bars."));
    FILTERS.put(
        "iliteral_or",
        new FilterText("web01|web02", "web01|web02", "Like literal_or, without regard to case."));
    FILTERS.put(
        "not_literal_or",
        new FilterText(
            "web01|web02", "web01|web02", "Takes all values but those that are listed."));
    FILTERS.put(
        "not_iliteral_or",
        new FilterText(
            "web01|web02", "web01|web02", "Like not_literal_or, without regard to case."));
    FILTERS.put(
        "wildcard",
        new FilterText("web*.org", "web*.org", "An asterisk stands for any text; case matters."));
    FILTERS.put(
        "iwildcard",
        new FilterText("web*.org", "web*.org", "Like wildcard, without regard to case."));
    FILTERS.put(
        "regexp",
        new FilterText(
            "web.*", "web.*", "Takes values in which the pattern, in RE2 syntax, is found."));
  }

  private final DialectContext context;

  About(DialectContext context) {
    this.context = context;
  }

  /** {@code /api/version}. */
  void version(Exchange exchange) throws IOException {
    Map<String, String> version = new LinkedHashMap<>();
    version.put("version", "2.4.0");
    version.put("short_revision", "");
    version.put("full_revision", "varve " + context.version());
    version.put("timestamp", "0");
    version.put("repo_status", "MODIFIED");
    for (String unknown : new String[] {"user", "host", "repo", "branch"}) {
      version.put(unknown, "");
    }
    map(exchange, version);
  }

  /** {@code /api/aggregators}. */
  static void aggregators(Exchange exchange) {
    JsonAnswer.write(
        exchange,
        json -> {
          json.writeStartArray();
          Aggregator.names().stream().sorted().forEach(json::writeString);
          json.writeEndArray();
        });
  }

  /** {@code /api/config}. */
  static void config(Exchange exchange) {
    map(exchange, CONFIG);
  }

  /** {@code /api/config/filters}. */
  static void filters(Exchange exchange) {
    JsonAnswer.write(
        exchange,
        json -> {
          json.writeStartObject();
          FILTERS.forEach((type, text) -> {
            json.writeObjectPropertyStart(type);
            json.writeStringProperty(
                "examples",
                "host=%1$s(%2$s)  {\"type\":\"%1$s\",\"tagk\":\"host\",\"filter\":\"%3$s\",\"groupBy\":false}"
                    .formatted(type, text.example(), text.filter()));
            json.writeStringProperty("description", text.description());
            json.writeEndObject();
          });
          json.writeEndObject();
        });
  }

  /** {@code /api/dropcaches}: looks UIDs up again, which another server may have renamed. */
  void dropCaches(Exchange exchange) {
    Dataset dataset = context.dataset(exchange);
    dataset.originals().forgetNames();
    Rollups rollups = Queries.rollups(context, exchange.caller(), dataset);
    if (rollups.config() != null) {
      rollups.all().forEach(rollup -> rollup.originals().forgetNames());
    }
    map(exchange, new TreeMap<>(Map.of("message", "Caches dropped", "status", "200")));
  }

  private static void map(Exchange exchange, Map<String, String> map) {
    JsonAnswer.write(
        exchange,
        json -> {
          json.writeStartObject();
          map.forEach(json::writeStringProperty);
          json.writeEndObject();
        });
  }

  /** Passes on the figures of {@code stats}. Their names begin as OpenTSDB's do. */
  void figures(Dataset dataset, BiConsumer<String, Long> to) {
    MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    to.accept("tsd.jvm.ramfree", heap.getMax() - heap.getUsed());
    to.accept("tsd.jvm.ramused", heap.getUsed());
    to.accept("tsd.jvm.thread.count", (long) ManagementFactory.getThreadMXBean().getThreadCount());
    to.accept("tsd.jvm.uptime", ManagementFactory.getRuntimeMXBean().getUptime());
    to.accept("tsd.varve.series", dataset.catalog().seriesCount());
    to.accept("tsd.varve.queries.running", (long) context.queries().running());
    to.accept("tsd.varve.queries.waiting", (long) context.queries().waiting());
    to.accept("tsd.varve.queries.memory", context.queries().held());
  }

  /** {@code /api/stats}. */
  void stats(Exchange exchange) {
    long seconds = context.clock().millis() / 1000;
    Dataset dataset = context.dataset(exchange);
    JsonAnswer.write(
        exchange,
        json -> {
          json.writeStartArray();
          figures(
              dataset,
              (name, value) -> {
                json.writeStartObject();
                json.writeStringProperty("metric", name);
                json.writeNumberProperty("timestamp", seconds);
                json.writeStringProperty("value", Long.toString(value));
                json.writeObjectPropertyStart("tags");
                json.writeStringProperty("dataset", dataset.name());
                json.writeEndObject();
                json.writeEndObject();
              });
          json.writeEndArray();
        });
  }

  /**
   * {@code /api/stats/region_clients}: an empty list, because this layer has no clients of regions.
   */
  static void regionClients(Exchange exchange) {
    JsonAnswer.write(
        exchange,
        json -> {
          json.writeStartArray();
          json.writeEndArray();
        });
  }

  /** {@code /api/stats/query}: the queries that run now. */
  void queries(Exchange exchange) {
    JsonAnswer.write(
        exchange,
        json -> {
          json.writeStartObject();
          json.writeArrayPropertyStart("completed");
          json.writeEndArray();
          json.writeArrayPropertyStart("running");
          for (RunningQuery query : context.queries(exchange)) {
            json.writeStartObject();
            json.writeStringProperty("id", query.id());
            json.writeNumberProperty("queryStartTimestamp", query.since().toEpochMilli());
            json.writeNumberProperty("elapsed", query.ran().toMillis());
            json.writeNumberProperty("rawDatapoints", query.use().samplesRead());
            json.writeEndObject();
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }
}

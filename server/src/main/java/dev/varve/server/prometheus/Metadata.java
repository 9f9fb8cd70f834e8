package dev.varve.server.prometheus;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.Cardinality;
import dev.varve.model.Kind;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.query.promql.eval.Matchers;
import dev.varve.query.promql.eval.Millis;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.CatalogQuestion;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.dialect.DialectContext.QueryWork;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import java.io.IOException;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Lists and counts series, label names and label values. Series that hold only strings are left out
 * because no PromQL query returns them.
 */
final class Metadata {
  private static final String NAME = Series.NAME_LABEL;
  private static final String TRUNCATED = "results truncated due to limit";
  private static final int TOP = 10;
  private static final int TOP_MAX = 10_000;

  /** Memory of an entry of a sorted set, in bytes. */
  private static final long ENTRY_BYTES = 56;

  private final DialectContext context;

  Metadata(DialectContext context) {
    this.context = context;
  }

  void series(Exchange exchange) throws IOException {
    Parameters parameters = Parameters.of(exchange);
    if (parameters.all("match[]").isEmpty()) {
      throw HttpError.badRequest("no match[] parameter provided");
    }
    int limit = parameters.limit();
    Dataset dataset = context.dataset(exchange);
    TimeRange times = times(parameters, dataset.resolution());
    List<Selector> selectors = selectors(parameters);
    query(
        exchange,
        dataset,
        "series",
        parameters,
        use -> {
          AtomicBoolean truncated = new AtomicBoolean();
          try (Stream<Series> found =
              new CatalogQuestion(use)
                  .series(dataset, selectors, times, Kind.NUMBERS, limit == 0 ? 0 : limit + 1L)) {
            Envelope.answer(
                exchange,
                json -> truncated.set(write(found, limit, json)),
                json -> warnIf(truncated.get(), json));
          }
        });
  }

  /**
   * Runs a metadata request under the limits of queries. It is listed under its name and matchers.
   */
  private void query(
      Exchange exchange, Dataset dataset, String name, Parameters parameters, QueryWork work)
      throws IOException {
    StringBuilder text = new StringBuilder(name);
    parameters.all("match[]").forEach(match -> text.append(' ').append(match));
    Limited.query(context, exchange, dataset, Prometheus.NAME, text.toString(), parameters, work);
  }

  /** Streams series; returns whether there are more than the limit. */
  private static boolean write(Stream<Series> found, int limit, JsonGenerator json) {
    AtomicInteger count = new AtomicInteger();
    json.writeStartArray();
    found.forEach(series -> {
      if (count.getAndIncrement() < limit || limit == 0) {
        write(series, json);
      }
    });
    json.writeEndArray();
    return limit > 0 && count.get() > limit;
  }

  private static void write(Series series, JsonGenerator json) {
    json.writeStartObject();
    if (!series.metric().isEmpty()) {
      json.writeStringProperty(NAME, series.metric());
    }
    series.labels().forEach(json::writeStringProperty);
    json.writeEndObject();
  }

  void labels(Exchange exchange) throws IOException {
    Parameters parameters = Parameters.of(exchange);
    int limit = parameters.limit();
    Dataset dataset = context.dataset(exchange);
    TimeRange times = times(parameters, dataset.resolution());
    List<Selector> selectors = selectorsOrAll(parameters);
    query(
        exchange,
        dataset,
        "labels",
        parameters,
        use -> {
          TreeSet<String> names = new TreeSet<>();
          for (Selector selector : selectors) {
            names.addAll(dataset.catalog().labelNames(selector, times, Kind.NUMBERS, use));
          }
          if (!names.isEmpty()) {
            names.add(NAME);
          }
          strings(exchange, names, limit, use);
        });
  }

  void values(Exchange exchange) throws IOException {
    String name = EscapedName.read(exchange.variables().getFirst());
    Parameters parameters = Parameters.of(exchange);
    int limit = parameters.limit();
    Dataset dataset = context.dataset(exchange);
    TimeRange times = times(parameters, dataset.resolution());
    List<Selector> selectors = selectorsOrAll(parameters);
    int most = limit == 0 ? Integer.MAX_VALUE : limit + 1;
    query(
        exchange,
        dataset,
        "values of " + name,
        parameters,
        use -> {
          TreeSet<String> values = new TreeSet<>();
          for (Selector selector : selectors) {
            List<String> found =
                dataset.catalog().labelValues(name, selector, times, Kind.NUMBERS, most, use);
            use.held(ENTRY_BYTES * found.size(), "values of a label");
            values.addAll(found);
          }
          strings(exchange, values, limit, use);
        });
  }

  private static void strings(Exchange exchange, SortedSet<String> all, int limit, QueryUse use)
      throws IOException {
    int shown = limit == 0 ? all.size() : Math.min(limit, all.size());
    Envelope.answer(
        exchange,
        json -> {
          json.writeStartArray();
          all.stream()
              .limit(shown)
              .forEach(value -> {
                use.ensureWanted();
                json.writeString(value);
              });
          json.writeEndArray();
        },
        json -> warnIf(shown < all.size(), json));
  }

  /**
   * {@code GET /api/v1/metadata}: answers type, unit and help of metrics, with at most one entry
   * per metric.
   */
  void metadata(Exchange exchange) throws IOException {
    Parameters parameters = Parameters.of(exchange);
    Integer limit = number(parameters, "limit");
    // Only validated: there is never more than one entry per metric.
    number(parameters, "limit_per_metric");
    String metric = parameters.text("metric");
    Dataset dataset = context.dataset(exchange);
    int most = limit == null || limit < 0 ? Integer.MAX_VALUE : limit;
    query(
        exchange,
        dataset,
        "metadata",
        parameters,
        use -> metadata(exchange, dataset.catalog().metadata(metric, most, use)));
  }

  private static void metadata(Exchange exchange, List<MetricMetadata> found) throws IOException {
    Envelope.answer(
        exchange,
        json -> {
          json.writeStartObject();
          for (MetricMetadata one : found) {
            json.writeArrayPropertyStart(one.metric());
            json.writeStartObject();
            json.writeStringProperty("type", one.type());
            json.writeStringProperty("unit", one.unit());
            json.writeStringProperty("help", one.help());
            json.writeEndObject();
            json.writeEndArray();
          }
          json.writeEndObject();
        });
  }

  private static @Nullable Integer number(Parameters parameters, String name) {
    String text = parameters.text(name);
    try {
      return text == null ? null : Integer.valueOf(text);
    } catch (NumberFormatException e) {
      throw HttpError.badRequest(name + " must be a number");
    }
  }

  private static void warnIf(boolean truncated, JsonGenerator json) {
    if (truncated) {
      json.writeArrayPropertyStart("warnings");
      json.writeString(TRUNCATED);
      json.writeEndArray();
    }
  }

  /** {@code /api/v1/status/tsdb}: answers the metrics and labels with the highest cardinality. */
  void cardinality(Exchange exchange) throws IOException {
    Parameters parameters = Parameters.of(exchange);
    int limit = top(parameters);
    Dataset dataset = context.dataset(exchange);
    query(
        exchange,
        dataset,
        "status/tsdb",
        parameters,
        use -> {
          Cardinality found = dataset.catalog().cardinality(limit, use);
          Envelope.answer(exchange, json -> write(found, dataset.resolution(), json));
        });
  }

  private static int top(Parameters parameters) {
    String text = parameters.text("limit");
    if (text == null) {
      return TOP;
    }
    if (!text.matches("\\d{1,9}") || Integer.parseInt(text) < 1) {
      throw HttpError.badRequest("limit must be a positive number");
    }
    int limit = Integer.parseInt(text);
    if (limit > TOP_MAX) {
      throw HttpError.badRequest(
          "limit is %,d, more than the maximum of %,d".formatted(limit, TOP_MAX));
    }
    return limit;
  }

  private static void write(Cardinality found, Resolution resolution, JsonGenerator json) {
    json.writeStartObject();
    json.writeObjectPropertyStart("headStats");
    json.writeNumberProperty("numSeries", found.series());
    json.writeNumberProperty("numLabelPairs", found.labelPairs());
    json.writeNumberProperty("chunkCount", 0);
    TimeRange times = found.times();
    // Prometheus' values for an empty database.
    json.writeNumberProperty(
        "minTime", times.isEmpty() ? Long.MAX_VALUE : Millis.of(times.from(), resolution));
    json.writeNumberProperty(
        "maxTime", times.isEmpty() ? Long.MIN_VALUE : Millis.of(times.to() - 1, resolution));
    json.writeEndObject();
    write("seriesCountByMetricName", found.seriesByMetric(), json);
    write("labelValueCountByLabelName", found.valuesByLabel(), json);
    write("memoryInBytesByLabelName", found.valueBytesByLabel(), json);
    write("seriesCountByLabelValuePair", found.seriesByPair(), json);
    json.writeEndObject();
  }

  private static void write(String name, List<Cardinality.Count> counts, JsonGenerator json) {
    json.writeArrayPropertyStart(name);
    for (Cardinality.Count count : counts) {
      json.writeStartObject();
      json.writeStringProperty("name", count.name());
      json.writeNumberProperty("value", count.count());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static List<Selector> selectorsOrAll(Parameters parameters) {
    List<Selector> selectors = selectors(parameters);
    return selectors.isEmpty() ? List.of(new Selector(List.of())) : selectors;
  }

  private static List<Selector> selectors(Parameters parameters) {
    return parameters.matchers().stream().map(Matchers::selector).toList();
  }

  private static TimeRange times(Parameters parameters, Resolution resolution) {
    Long start = parameters.time("start");
    Long end = parameters.time("end");
    // As in Prometheus, a range that ends before it starts is empty.
    return start != null && end != null && end < start
        ? new TimeRange(Long.MIN_VALUE, Long.MIN_VALUE)
        : Millis.range(
            start == null ? Long.MIN_VALUE : start,
            end == null ? Long.MAX_VALUE - 1 : end,
            resolution);
  }
}

package dev.varve.server.prometheus;

import dev.varve.engine.Dataset;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.PromQlException;
import dev.varve.query.promql.eval.Matchers;
import dev.varve.query.promql.eval.Millis;
import dev.varve.server.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Which series, labels and values there are. */
final class Metadata {
  private static final String NAME = Series.NAME_LABEL;
  private static final String TRUNCATED = "results truncated due to limit";

  private final DialectContext context;

  Metadata(DialectContext context) {
    this.context = context;
  }

  void series(Exchange exchange) throws IOException {
    Parameters parameters = Parameters.of(exchange);
    List<Selector> selectors = selectors(parameters);
    if (selectors.isEmpty()) {
      throw HttpError.badRequest("no match[] parameter provided");
    }
    Dataset dataset = context.dataset(exchange);
    TimeRange times = times(parameters, dataset.resolution());
    int limit = parameters.limit();
    Set<Series> found = new LinkedHashSet<>();
    for (Selector selector : selectors) {
      try (Stream<Series> series = dataset.series(selector, times)) {
        (limit == 0 ? series : series.limit(limit + 1L)).forEach(found::add);
      }
    }
    List<Series> shown = found.stream().limit(limit == 0 ? found.size() : limit).toList();
    answer(
        exchange,
        json -> {
          json.writeStartArray();
          shown.forEach(one -> write(one, json));
          json.writeEndArray();
        },
        shown.size() < found.size());
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
    Dataset dataset = context.dataset(exchange);
    TreeSet<String> names = new TreeSet<>();
    for (Selector selector : selectorsOrAll(parameters)) {
      try (Stream<String> found = dataset.catalog().labelNames(selector)) {
        found.forEach(names::add);
      }
    }
    if (!names.isEmpty()) {
      names.add(NAME);
    }
    strings(exchange, names, parameters.limit());
  }

  void values(Exchange exchange) throws IOException {
    String path = exchange.path();
    String from = "/api/v1/label/";
    String escaped = path.substring(from.length(), path.length() - "/values".length());
    String name = EscapedName.read(escaped);
    Parameters parameters = Parameters.of(exchange);
    Dataset dataset = context.dataset(exchange);
    TreeSet<String> values = new TreeSet<>();
    for (Selector selector : selectorsOrAll(parameters)) {
      try (Stream<String> found = dataset.catalog().labelValues(name, selector)) {
        found.forEach(values::add);
      }
    }
    strings(exchange, values, parameters.limit());
  }

  private static void strings(Exchange exchange, SortedSet<String> all, int limit)
      throws IOException {
    List<String> shown = all.stream().limit(limit == 0 ? all.size() : limit).toList();
    answer(
        exchange,
        json -> {
          json.writeStartArray();
          shown.forEach(json::writeString);
          json.writeEndArray();
        },
        shown.size() < all.size());
  }

  /** {@code GET /api/v1/metadata}: type, unit and help of metrics; of each there is one at most. */
  void metadata(Exchange exchange) throws IOException {
    Parameters parameters = Parameters.of(exchange);
    Integer limit = number(parameters, "limit");
    // It says how many of one metric are shown, of which there is never more than one.
    number(parameters, "limit_per_metric");
    String metric = parameters.text("metric");
    List<MetricMetadata> found =
        context
            .dataset(exchange)
            .metadata(metric, limit == null || limit < 0 ? Integer.MAX_VALUE : limit);
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

  private static void answer(Exchange exchange, Envelope.Data data, boolean truncated)
      throws IOException {
    Envelope.answer(
        exchange,
        data,
        json -> {
          if (truncated) {
            json.writeArrayPropertyStart("warnings");
            json.writeString(TRUNCATED);
            json.writeEndArray();
          }
        });
  }

  private static List<Selector> selectorsOrAll(Parameters parameters) {
    List<Selector> selectors = selectors(parameters);
    return selectors.isEmpty() ? List.of(new Selector(List.of())) : selectors;
  }

  private static List<Selector> selectors(Parameters parameters) {
    List<Selector> selectors = new ArrayList<>();
    for (String match : parameters.all("match[]")) {
      try {
        if (PromQl.parse(match) instanceof Expr.VectorSelector selector) {
          selectors.add(Matchers.selector(selector.matchers()));
        } else {
          throw Parameters.invalid("match[]", "'%s' is no series selector".formatted(match));
        }
      } catch (PromQlException e) {
        throw Parameters.invalid("match[]", e.getMessage());
      }
    }
    return selectors;
  }

  private static TimeRange times(Parameters parameters, Resolution resolution) {
    Long start = parameters.time("start");
    Long end = parameters.time("end");
    if (start != null && end != null && end < start) {
      throw Parameters.invalid("end", "end timestamp must not be before start time");
    }
    return Millis.range(
        start == null ? Long.MIN_VALUE : start, end == null ? Long.MAX_VALUE - 1 : end, resolution);
  }
}

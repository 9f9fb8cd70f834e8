package dev.varve.server.varve;

import dev.varve.engine.cells.LayoutEstimate;
import dev.varve.engine.cells.LayoutEstimate.Amount;
import dev.varve.engine.cells.LayoutEstimate.Read;
import dev.varve.formats.json.JsonLines;
import dev.varve.query.promql.Durations;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Form;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.core.JsonGenerator;

/**
 * {@code POST /varve/v1/layouts/estimate}: takes {@code layout} and {@code param.NAME} as {@link
 * Cells} does, {@code points} with one point, and {@code interval}, the time between two samples of
 * a series (default 1m). Answers what the layout makes of a day of such samples, as {@link
 * LayoutEstimate}. Nothing here reads or changes a store.
 */
final class Estimates {
  private static final String JSON = "application/json; charset=utf-8";
  private static final String INTERVAL = "1m";
  private static final Duration INTERVAL_MIN = Duration.ofSeconds(10);
  private static final Duration INTERVAL_MAX = Duration.ofHours(1);

  /** Maximum characters of the point. */
  static final int POINT_MAX = 4 << 10;

  /** Copies of a cell on its way into a table in memory. */
  private static final long COPIES = 4;

  private static final long CELL_BYTES = 256;
  private static final long SERIES = 4;
  private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{");

  private Estimates() {}

  static Route route() {
    return Route.post("/v1/layouts/estimate", Load.READ, Right.LOGIN, Estimates::estimate);
  }

  private static void estimate(Exchange exchange) throws IOException {
    Map<String, String> form = Form.read(exchange);
    String layout = Cells.layout(form);
    String points = form.getOrDefault("points", "");
    Cells.requireLength("points", points, POINT_MAX);
    Map<String, String> parameters = Cells.parameters(form);
    Duration interval = interval(form.getOrDefault("interval", INTERVAL));
    long samples = SERIES * Duration.ofDays(1).dividedBy(interval);
    exchange
        .memory()
        .hold(samples * COPIES * (CELL_BYTES + points.length() + characters(layout, parameters)));
    List<LayoutEstimate> estimates;
    try {
      estimates =
          LayoutEstimate.of(layout, parameters, Cells.batch(exchange, points).build(), interval);
    } catch (IllegalArgumentException e) {
      throw HttpError.badRequest(String.valueOf(e.getMessage()));
    }
    try (OutputStream out = exchange.answer(JSON);
        JsonGenerator json = JsonLines.generator(out)) {
      json.writeStartObject();
      json.writeArrayPropertyStart("estimates");
      estimates.forEach(each -> write(each, json));
      json.writeEndArray();
      json.writeEndObject();
    }
  }

  /** Returns how long a declaration may become with its parameters, all of it in a row key. */
  private static long characters(String layout, Map<String, String> parameters) {
    long places = PLACEHOLDER.matcher(layout).results().count();
    long longest = parameters.values().stream().mapToLong(String::length).max().orElse(0);
    return layout.length() + places * longest;
  }

  private static Duration interval(String text) {
    Duration interval;
    try {
      interval = Durations.parse(text);
    } catch (IllegalArgumentException e) {
      throw HttpError.badRequest("'interval': " + e.getMessage());
    }
    if (interval.compareTo(INTERVAL_MIN) < 0 || interval.compareTo(INTERVAL_MAX) > 0) {
      throw HttpError.badRequest("'interval' is from 10s to 1h, not " + text);
    }
    return interval;
  }

  private static void write(LayoutEstimate estimate, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("layout", estimate.layout());
    json.writeNumberProperty("series", estimate.series());
    json.writeNumberProperty("samples", estimate.samples());
    json.writeObjectPropertyStart("data");
    write(estimate.data(), json);
    json.writeEndObject();
    json.writeObjectPropertyStart("index");
    write(estimate.index(), json);
    json.writeEndObject();
    json.writeNumberProperty("rowsOfWrite", estimate.rowsOfWrite());
    json.writeArrayPropertyStart("reads");
    for (Read read : estimate.reads()) {
      json.writeStartObject();
      json.writeStringProperty("what", read.what());
      json.writeNumberProperty("wanted", read.wanted());
      json.writeNumberProperty("ranges", read.ranges());
      json.writeNumberProperty("partitions", read.partitions());
      write(read.read(), json);
      if (read.refused() != null) {
        json.writeStringProperty("refused", read.refused());
      }
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayPropertyStart("refused");
    estimate.refused().forEach(json::writeString);
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(Amount amount, JsonGenerator json) {
    json.writeNumberProperty("rows", amount.rows());
    json.writeNumberProperty("cells", amount.cells());
    json.writeNumberProperty("bytes", amount.bytes());
  }
}

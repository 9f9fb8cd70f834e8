package dev.varve.server.varve;

import dev.varve.engine.Dataset;
import dev.varve.engine.advice.Advice;
import dev.varve.engine.request.Cardinality.Count;
import dev.varve.engine.usage.CardinalityDay;
import dev.varve.formats.json.JsonLines;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import java.io.IOException;
import java.io.OutputStream;
import java.time.LocalDate;
import java.util.List;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;

/**
 * Routes of the advisor and of the daily records of a dataset.
 *
 * <ul>
 *   <li>{@code GET /varve/v1/advice} answers {@link AdviceJson}
 *   <li>{@code GET /varve/v1/cardinality/history} answers the series of each day: {@code
 *       {"days":[{"day":"2026-01-01","series":5,"labelPairs":9,"metrics":[{"name":"cpu","count":5}],
 *       "labels":[..]}]}}, oldest first
 * </ul>
 *
 * <p>Both run as queries: the limits of queries apply, and they are in the list of running queries.
 */
final class AdviceRoutes {
  private static final String JSON = "application/json; charset=utf-8";

  private final DialectContext context;

  AdviceRoutes(DialectContext context) {
    this.context = context;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/v1/advice", Load.QUERY, Right.READ, this::advice).ofAllSeries(),
        Route.get("/v1/cardinality/history", Load.QUERY, Right.READ, this::history).ofAllSeries());
  }

  private void advice(Exchange exchange) throws IOException {
    Dataset dataset = context.dataset(exchange);
    context.query(
        exchange,
        dataset,
        VarveApi.NAME,
        "advice",
        use -> {
          Advice advice = dataset.usage().advise(use);
          answer(exchange, json -> AdviceJson.write(advice, json));
        });
  }

  private void history(Exchange exchange) throws IOException {
    Dataset dataset = context.dataset(exchange);
    context.query(
        exchange,
        dataset,
        VarveApi.NAME,
        "cardinality of days",
        use -> {
          List<CardinalityDay> days = dataset.usage().cardinalityByDay();
          answer(exchange, json -> write(days, json));
        });
  }

  private static void write(List<CardinalityDay> days, JsonGenerator json) {
    json.writeStartObject();
    json.writeName("days");
    json.writeStartArray();
    for (CardinalityDay day : days) {
      json.writeStartObject();
      json.writeStringProperty("day", LocalDate.ofEpochDay(day.day()).toString());
      json.writeNumberProperty("series", day.series());
      json.writeNumberProperty("labelPairs", day.labelPairs());
      counts("metrics", day.seriesByMetric(), json);
      counts("labels", day.valuesByLabel(), json);
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void counts(String name, List<Count> counts, JsonGenerator json) {
    json.writeName(name);
    json.writeStartArray();
    for (Count count : counts) {
      json.writeStartObject();
      json.writeStringProperty("name", count.name());
      json.writeNumberProperty("count", count.count());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void answer(Exchange exchange, Consumer<JsonGenerator> content)
      throws IOException {
    try (OutputStream out = exchange.answer(JSON);
        JsonGenerator json = JsonLines.generator(out)) {
      content.accept(json);
    }
  }
}

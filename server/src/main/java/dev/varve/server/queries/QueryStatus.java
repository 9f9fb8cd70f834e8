package dev.varve.server.queries;

import dev.varve.formats.json.JsonLines;
import dev.varve.query.running.QueryUse;
import dev.varve.query.running.RunningQueries;
import dev.varve.query.running.RunningQuery;
import dev.varve.server.http.ErrorFormat;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.http.Router;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;

/**
 * {@code GET /api/v1/status/queries} lists waiting, running and the last slow queries, and {@code
 * POST /api/v1/status/queries/ID/kill} ends one. Has the form of Prometheus' API, answers on every
 * listener, and never waits for queries.
 */
public final class QueryStatus {
  private static final String JSON = "application/json";
  private static final String PATH = "/api/v1/status/queries";

  private final RunningQueries queries;
  private final SlowQueryLog slow;

  public QueryStatus(RunningQueries queries, SlowQueryLog slow) {
    this.queries = queries;
    this.slow = slow;
  }

  public Router.Mount mount() {
    return new Router.Mount(
        "queries",
        false,
        false,
        List.of(
            Route.get(PATH, Load.OPERATIONS, Right.READ, this::list),
            Route.post(PATH + "/*/kill", Load.OPERATIONS, Right.ADMIN, this::kill)),
        QueryStatus::error);
  }

  private static ErrorFormat.Body error(int status, String message) {
    return new ErrorFormat.Body(
        JSON,
        JsonLines.text(json -> {
          json.writeStartObject();
          json.writeStringProperty("status", "error");
          json.writeStringProperty("errorType", status == 404 ? "not_found" : "bad_data");
          json.writeStringProperty("error", message);
          json.writeEndObject();
        }));
  }

  private void list(Exchange exchange) throws IOException {
    answer(
        exchange,
        json -> {
          json.writeStartObject();
          json.writeNumberProperty("running", queries.running());
          json.writeNumberProperty("waiting", queries.waiting());
          json.writeNumberProperty("bytesHeld", queries.held());
          json.writeNumberProperty("bytesHeldMax", queries.capacity().memory());
          json.writeArrayPropertyStart("queries");
          queries.list().stream()
              .filter(query -> exchange.caller().maySee(query.origin()))
              .forEach(query -> write(query, json));
          json.writeEndArray();
          json.writeArrayPropertyStart("slow");
          slow.last().stream()
              .filter(query -> exchange.caller().maySee(query.origin()))
              .forEach(query -> write(query, json));
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  private static void write(RunningQuery query, JsonGenerator json) {
    QueryUse use = query.use();
    json.writeStartObject();
    json.writeStringProperty("id", query.id());
    json.writeStringProperty("state", query.state().name().toLowerCase(Locale.ROOT));
    json.writeStringProperty("dataset", query.origin().dataset());
    json.writeStringProperty("language", query.origin().language());
    json.writeStringProperty("text", query.origin().text());
    json.writeStringProperty("client", query.origin().client());
    json.writeStringProperty("agent", query.origin().agent());
    json.writeStringProperty("since", query.since().toString());
    json.writeNumberProperty("waitedMs", query.waited().toMillis());
    json.writeNumberProperty("ranMs", query.ran().toMillis());
    json.writeNumberProperty("seriesMatched", use.seriesMatched());
    json.writeNumberProperty("seriesRead", use.seriesRead());
    json.writeNumberProperty("readShare", Math.round(1000 * use.readShare()) / 1000.0);
    json.writeNumberProperty("samplesRead", use.samplesRead());
    json.writeNumberProperty("pointsReturned", use.pointsReturned());
    json.writeNumberProperty("subquerySteps", use.steps());
    json.writeNumberProperty("bytesHeld", use.memory().held());
    json.writeNumberProperty("cellsRead", use.cost().cellsRead());
    json.writeNumberProperty("bytesRead", use.cost().bytesRead());
    json.writeEndObject();
  }

  private static void write(SlowQueryLog.SlowQuery query, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("id", query.id());
    json.writeStringProperty("language", query.origin().language());
    json.writeStringProperty("dataset", query.origin().dataset());
    json.writeStringProperty("text", query.origin().text());
    json.writeStringProperty("client", query.origin().client());
    json.writeStringProperty("outcome", query.outcome());
    json.writeNumberProperty("waitedMs", query.waited().toMillis());
    json.writeNumberProperty("ranMs", query.ran().toMillis());
    json.writeNumberProperty("samplesRead", query.samples());
    json.writeEndObject();
  }

  private void kill(Exchange exchange) throws IOException {
    String id = exchange.variables().getFirst();
    boolean known =
        queries.list().stream()
            .filter(query -> exchange.caller().maySee(query.origin()))
            .anyMatch(query -> query.id().equals(id));
    if (!known || !queries.kill(id)) {
      throw new HttpError(
          404, "no query '%s' runs here; GET %s lists those that do".formatted(id, PATH));
    }
    answer(
        exchange,
        json -> {
          json.writeStartObject();
          json.writeStringProperty("killed", id);
          json.writeEndObject();
        });
  }

  private static void answer(Exchange exchange, Consumer<JsonGenerator> data) throws IOException {
    try (OutputStream out = exchange.answer(JSON);
        JsonGenerator json = JsonLines.generator(out)) {
      json.writeStartObject();
      json.writeStringProperty("status", "success");
      json.writeName("data");
      data.accept(json);
      json.writeEndObject();
    }
  }
}

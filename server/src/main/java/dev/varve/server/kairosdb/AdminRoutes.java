package dev.varve.server.kairosdb;

import dev.varve.formats.json.Json;
import dev.varve.query.running.RunningQuery;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import java.io.IOException;
import java.util.List;

/** Routes that list the running queries of this dialect and stop one. */
final class AdminRoutes {
  private final DialectContext context;

  AdminRoutes(DialectContext context) {
    this.context = context;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/api/v1/admin/runningqueries", Load.NONE, Right.READ, this::list),
        Route.get("/api/v1/admin/killquery/*", Load.NONE, Right.ADMIN, this::kill).changing());
  }

  private List<RunningQuery> own(Exchange exchange) {
    return context.queries(exchange).stream()
        .filter(query -> query.origin().language().equals(KairosDb.NAME))
        .toList();
  }

  private void list(Exchange exchange) throws IOException {
    List<RunningQuery> own = own(exchange);
    long waiting = own.stream().filter(AdminRoutes::waits).count();
    Answers.json(
        exchange,
        200,
        Json.object(json -> {
          json.writeArrayPropertyStart("queries");
          for (RunningQuery query : own) {
            if (!waits(query)) {
              json.writeStartObject();
              json.writeStringProperty("query hash", query.id());
              json.writeStringProperty("query JSON", query.origin().text());
              json.writeEndObject();
            }
          }
          json.writeEndArray();
          json.writeNumberProperty("queries waiting", waiting);
        }));
  }

  private static boolean waits(RunningQuery query) {
    return query.state() == RunningQuery.State.QUEUED;
  }

  private void kill(Exchange exchange) {
    String id = exchange.variables().getFirst();
    if (own(exchange).stream().anyMatch(query -> query.id().equals(id))) {
      context.queries().kill(id);
    }
    Answers.empty(exchange, 204);
  }
}

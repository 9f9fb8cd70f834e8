package dev.varve.server.kairosdb;

import dev.varve.engine.Dataset;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.kairosdb.QueryRequest.MetricQuery;
import java.io.IOException;
import java.util.List;

/** Deletes the points that queries select, and whole metrics. */
final class DeleteRoutes {
  private final DialectContext context;

  DeleteRoutes(DialectContext context) {
    this.context = context;
  }

  List<Route> routes() {
    return List.of(
        Route.post("/api/v1/datapoints/delete", Load.WRITE, Right.DELETE, this::points),
        new Route("DELETE", "/api/v1/metric/*", Load.WRITE, Right.DELETE, this::metric));
  }

  private void points(Exchange exchange) throws IOException {
    context.ensureMayDelete(exchange);
    Dataset dataset = context.dataset(exchange);
    QueryRequest request = Asked.read(exchange, dataset.resolution(), context.clock()).request();
    for (MetricQuery metric : request.metrics()) {
      dataset.deletes().begin(new Selector(metric.filters()), metric.times());
    }
    Answers.empty(exchange, 204);
  }

  private void metric(Exchange exchange) {
    context.ensureMayDelete(exchange);
    String name = exchange.variables().getFirst();
    Selector all = new Selector(List.of(QueryRequest.named(name)));
    context.dataset(exchange).deletes().begin(all, TimeRange.ALL);
    Answers.empty(exchange, 204);
  }
}

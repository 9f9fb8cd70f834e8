package dev.varve.server.kairosdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.formats.json.Json;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.query.OperatorException;
import dev.varve.query.Query;
import dev.varve.query.QueryRun;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.CatalogQuestion;
import dev.varve.server.dialect.Dialect;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.HttpHandler;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.http.Router;
import dev.varve.server.ingest.Intake;
import dev.varve.server.kairosdb.QueryRequest.MetricQuery;
import dev.varve.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import tools.jackson.core.JsonGenerator;

/** KairosDB's HTTP API as a dialect. */
public final class KairosDb implements Dialect {
  public static final String NAME = "kairosdb";

  private static final String SAVES = "write, if an aggregator is save_as";

  private final DialectContext context;

  public KairosDb(DialectContext context) {
    this.context = context;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Router.Mount mount() {
    List<Route> routes = new ArrayList<>();
    add(routes, Route.post("/api/v1/datapoints", Load.WRITE, Right.WRITE, this::write));
    add(
        routes,
        Route.post("/api/v1/datapoints/query", Load.QUERY, Right.READ, this::query)
            .asking(SAVES, this::needs));
    add(
        routes,
        Route.get("/api/v1/datapoints/query", Load.QUERY, Right.READ, this::query)
            .asking(SAVES, this::needs));
    add(routes, Route.post("/api/v1/datapoints/query/tags", Load.QUERY, Right.READ, this::tags));
    add(routes, Route.get("/api/v1/datapoints/query/tags", Load.QUERY, Right.READ, this::tags));
    add(routes, Route.get("/api/v1/metricnames", Load.QUERY, Right.READ, this::metricNames));
    add(routes, Route.get("/api/v1/health/check", Load.NONE, Right.LOGIN, this::healthCheck));
    add(routes, Route.get("/api/v1/health/status", Load.NONE, Right.LOGIN, this::healthStatus));
    add(routes, Route.get("/api/v1/version", Load.NONE, Right.LOGIN, this::version));
    new DeleteRoutes(context).routes().forEach(route -> add(routes, route));
    new MetadataRoutes(context).routes().forEach(route -> add(routes, route));
    new RollupRoutes(context).routes().forEach(route -> add(routes, route));
    new AdminRoutes(context).routes().forEach(route -> add(routes, route));
    FeatureRoutes.routes().forEach(route -> add(routes, route));
    return new Router.Mount(NAME, true, routes, Answers::error);
  }

  private static void add(List<Route> routes, Route route) {
    HttpHandler handler =
        exchange -> {
          exchange.header("Pragma", "no-cache");
          exchange.header("Cache-Control", "no-cache");
          exchange.header("Expires", "0");
          route.handler().handle(exchange);
        };
    routes.add(route.handledBy(handler));
  }

  private void write(Exchange exchange) throws IOException {
    Dataset dataset = context.dataset(exchange);
    Intake intake = context.intake(exchange, dataset, NAME);
    DataPointsReader reader = new DataPointsReader(intake);
    List<String> errors;
    try (InputStream body = exchange.body(Answers.encoding(exchange))) {
      errors = reader.read(body);
    }
    if (intake.coerced() > 0) {
      exchange.header("X-Varve-Coerced", "int64-to-double=" + intake.coerced());
    }
    if (reader.ttlIgnored() > 0) {
      exchange.header("X-Varve-Ttl-Ignored", Long.toString(reader.ttlIgnored()));
      context.ttlIgnored(dataset, NAME, reader.ttlIgnored());
    }
    if (errors.isEmpty()) {
      Answers.empty(exchange, 204);
    } else if (reader.conversionFailed()) {
      exchange.answer(500, Answers.JSON, Answers.errors(errors));
    } else {
      exchange.answer(400, Answers.ERROR_JSON, Answers.errors(errors));
    }
  }

  private void query(Exchange exchange) throws IOException {
    Dataset dataset = context.dataset(exchange);
    Asked asked = Asked.read(exchange, dataset.resolution(), context.clock());
    asked.request().ensureBounded();
    if (asked.request().writes()) {
      exchange.requireOrigin();
      exchange.require(Right.WRITE);
    }
    query(
        exchange,
        dataset,
        asked.text(),
        (use, json) -> {
          json.writeArrayPropertyStart("queries");
          List<MetricQuery> metrics = asked.request().metrics();
          List<QueryRun> runs =
              Query.inTurn(metrics.stream().map(MetricQuery::plan).toList(), dataset, use);
          for (int i = 0; i < runs.size(); i++) {
            MetricQuery metric = metrics.get(i);
            List<SavedPoints> saved = saved(metric, dataset, exchange);
            new QueryAnswer(json, metric, runs.get(i), dataset.resolution(), use).write(saved);
            long ttlIgnored = saved.stream().mapToLong(SavedPoints::ttlIgnored).sum();
            if (ttlIgnored > 0) {
              context.ttlIgnored(dataset, NAME, ttlIgnored);
            }
          }
          json.writeEndArray();
        });
  }

  /** Returns the rights that a query needs in addition to the right to read. */
  private Set<Right> needs(Exchange exchange) throws IOException {
    Asked asked = Asked.read(exchange, Resolution.MILLISECONDS, context.clock());
    return asked.request().writes() ? Set.of(Right.WRITE) : Set.of();
  }

  private List<SavedPoints> saved(MetricQuery metric, Dataset dataset, Exchange exchange) {
    return metric.saves().stream()
        .map(target ->
            new SavedPoints(
                target,
                metric.name(),
                metric.groupBy().tags(),
                dataset,
                context.intake(exchange, dataset, NAME)))
        .toList();
  }

  private interface QueryWriter {
    void write(QueryUse use, JsonGenerator json);
  }

  private void query(Exchange exchange, Dataset dataset, String text, QueryWriter writer)
      throws IOException {
    try {
      context.query(
          exchange,
          dataset,
          NAME,
          text,
          use -> Answers.stream(exchange, json -> writer.write(use, json)));
    } catch (OperatorException e) {
      throw new HttpError(500, String.valueOf(e.getMessage()));
    }
  }

  private void tags(Exchange exchange) throws IOException {
    Dataset dataset = context.dataset(exchange);
    Asked asked = Asked.read(exchange, dataset.resolution(), context.clock());
    query(
        exchange,
        dataset,
        "tags " + asked.text(),
        (use, json) -> {
          json.writeArrayPropertyStart("queries");
          for (MetricQuery metric : asked.request().metrics()) {
            json.writeStartObject();
            json.writeArrayPropertyStart("results");
            try (Stream<Series> found =
                new CatalogQuestion(use)
                    .series(
                        dataset,
                        List.of(new Selector(metric.filters())),
                        metric.times(),
                        Kind.ALL,
                        0)) {
              json.writeStartObject();
              json.writeStringProperty("name", metric.name());
              QueryAnswer.writeTags(json, found, use);
              json.writeArrayPropertyStart("values");
              json.writeEndArray();
              json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  private void metricNames(Exchange exchange) throws IOException {
    String prefix = exchange.parameter("prefix");
    Dataset dataset = context.dataset(exchange);
    query(
        exchange,
        dataset,
        "metricnames" + (prefix == null ? "" : " prefix=" + prefix),
        (use, json) -> {
          json.writeArrayPropertyStart("results");
          try (Stream<String> names =
              dataset.catalog().metrics(prefix == null ? "" : prefix, use)) {
            names.forEach(name -> {
              use.ensureWanted();
              json.writeString(name);
            });
          }
          json.writeEndArray();
        });
  }

  /** A health check under KairosDB's name for it. */
  private record Check(String name, Function<KairosDb, Boolean> passes) {}

  private static final List<Check> CHECKS =
      List.of(
          new Check("JVM-Thread-Deadlock", k -> noDeadlock()),
          new Check("Datastore-Query", KairosDb::answersQueries));

  private static boolean noDeadlock() {
    return ManagementFactory.getThreadMXBean().findDeadlockedThreads() == null;
  }

  private boolean answersQueries() {
    try (Stream<String> names = context.defaultDataset().catalog().metrics("")) {
      return names.limit(1).count() <= 1;
    } catch (QueryRefusedException | StoreException | HttpError e) {
      return false;
    }
  }

  private void healthCheck(Exchange exchange) throws IOException {
    boolean healthy = CHECKS.stream().allMatch(check -> check.passes().apply(this));
    Answers.empty(exchange, healthy ? 204 : 500);
  }

  private void healthStatus(Exchange exchange) throws IOException {
    String status =
        Json.text(json -> {
          json.writeStartArray();
          for (Check check : CHECKS) {
            json.writeString(check.name() + ": " + (check.passes().apply(this) ? "OK" : "FAIL"));
          }
          json.writeEndArray();
        });
    Answers.json(exchange, 200, status);
  }

  private void version(Exchange exchange) throws IOException {
    // Agents expect KairosDB's version.
    String version = "KairosDB 1.3.0 (Varve %s)".formatted(context.version());
    Answers.json(exchange, 200, "{\"version\": \"" + version + "\"}\n");
  }
}

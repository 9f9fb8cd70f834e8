package dev.varve.server.prometheus;

import dev.varve.query.promql.Expr;
import dev.varve.query.promql.PrettyPrinter;
import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.PromQlException;
import dev.varve.server.dialect.Dialect;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.HttpHandler;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.http.Router;
import dev.varve.server.scrape.Scraper;
import dev.varve.server.scrape.TargetsJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Prometheus' HTTP API as a dialect.
 *
 * <ul>
 *   <li>{@code POST /api/v1/write}: remote write 1.0 and 2.0
 *   <li>{@code POST /api/v1/import/prometheus}, {@code POST|PUT /metrics/job/JOB[/NAME/VALUE ...]}:
 *       text format and OpenMetrics
 *   <li>{@link VictoriaMetrics}: export and import
 *   <li>{@code POST /api/v1/read}: remote read
 *   <li>{@code GET|POST /api/v1/query}, {@code /api/v1/query_range}: evaluates {@code query} at one
 *       time or over a range
 *   <li>{@code GET|POST /api/v1/series}, {@code /api/v1/labels}, {@code GET
 *       /api/v1/label/NAME/values}: metadata of series that match {@code match[]}
 *   <li>{@code POST|PUT /api/v1/admin/tsdb/delete_series}, {@code clean_tombstones}: deletes
 *   <li>{@code GET /federate}: the newest samples, for another Prometheus
 *   <li>{@code GET /api/v1/status/tsdb}: the metrics and labels with the highest cardinality
 *   <li>{@code GET /api/v1/status/buildinfo}: the version of Prometheus whose API is implemented
 *   <li>{@code GET /api/v1/rules}, {@code /api/v1/alerts}: the state of rules
 *   <li>{@code GET /api/v1/targets}: the state of scrape targets
 *   <li>{@code GET /api/v1/metadata}: type, unit and help of metrics
 *   <li>{@code GET|POST /api/v1/query_exemplars}: always empty
 *   <li>{@code GET|POST /api/v1/format_query}: {@code query}, pretty-printed
 *   <li>{@code GET|POST /api/v1/parse_query}: the syntax tree of {@code query}
 * </ul>
 */
public final class Prometheus implements Dialect {
  public static final String NAME = "prometheus";

  private static final String ADMIN = "/api/v1/admin/tsdb/";

  private final Queries queries;
  private final Metadata metadata;
  private final RemoteWrite remoteWrite;
  private final TextImport textImport;
  private final Supplier<@Nullable Scraper> scraper;
  private final Rules rules;
  private final RemoteRead remoteRead;
  private final Federation federation;
  private final Deletes deletes;
  private final VictoriaMetrics victoriaMetrics;
  private final String version;

  /** Creates the dialect. */
  public Prometheus(DialectContext context) {
    this.scraper = context.scraper();
    this.queries = new Queries(context);
    this.metadata = new Metadata(context);
    this.remoteWrite = new RemoteWrite(context);
    this.rules = new Rules(context, context.rules());
    this.textImport = new TextImport(context);
    this.remoteRead = new RemoteRead(context);
    this.federation = new Federation(context);
    this.deletes = new Deletes(context);
    this.victoriaMetrics = new VictoriaMetrics(context);
    this.version = context.version();
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Router.Mount mount() {
    List<Route> routes = new ArrayList<>();
    routes.add(Route.post("/api/v1/write", Load.WRITE, Right.WRITE, remoteWrite::write));
    routes.add(Route.post("/api/v1/import/prometheus", Load.WRITE, Right.WRITE, textImport::post));
    for (String job : List.of("job", "job@base64")) {
      String pushed = TextImport.PUSH + job + "/" + Route.REST;
      HttpHandler push = exchange -> textImport.push(exchange, job);
      routes.add(Route.post(pushed, Load.WRITE, Right.WRITE, push));
      routes.add(new Route("PUT", pushed, Load.WRITE, Right.WRITE, push));
    }
    routes.add(Route.post("/api/v1/read", Load.QUERY, Right.READ, remoteRead::read));
    routes.add(Route.get("/federate", Load.QUERY, Right.READ, federation::answer));
    for (String method : List.of("POST", "PUT")) {
      routes.add(
          new Route(method, ADMIN + "delete_series", Load.WRITE, Right.DELETE, deletes::delete));
      routes.add(
          new Route(method, ADMIN + "clean_tombstones", Load.NONE, Right.DELETE, deletes::clean));
    }
    routes.addAll(victoriaMetrics.routes());
    addQuestions(routes);
    return new Router.Mount(NAME, true, routes, Envelope.ERRORS);
  }

  private void addQuestions(List<Route> routes) {
    add(routes, "/api/v1/query", Load.QUERY, Right.READ, queries::instant);
    add(routes, "/api/v1/query_range", Load.QUERY, Right.READ, queries::range);
    add(routes, "/api/v1/series", Load.QUERY, Right.READ, metadata::series);
    add(routes, "/api/v1/labels", Load.QUERY, Right.READ, metadata::labels);
    routes.add(Route.get("/api/v1/label/*/values", Load.QUERY, Right.READ, metadata::values));
    add(routes, "/api/v1/query_exemplars", Load.READ, Right.READ, Prometheus::exemplars);
    add(routes, "/api/v1/format_query", Load.READ, Right.READ, Prometheus::formatQuery);
    add(routes, "/api/v1/parse_query", Load.READ, Right.READ, Prometheus::parseQuery);
    routes.add(Route.get("/api/v1/metadata", Load.QUERY, Right.READ, metadata::metadata));
    routes.add(Route.get("/api/v1/rules", Load.NONE, Right.READ, rules::rules).ofAllSeries());
    routes.add(Route.get("/api/v1/alerts", Load.NONE, Right.READ, rules::alerts));
    routes.add(Route.get("/api/v1/targets", Load.NONE, Right.READ, this::targets).ofServer());
    routes.add(Route.get("/api/v1/status/tsdb", Load.QUERY, Right.READ, metadata::cardinality));
    routes.add(Route.get("/api/v1/status/buildinfo", Load.NONE, Right.LOGIN, this::buildInfo));
  }

  private static void add(
      List<Route> routes, String path, Load load, Right right, HttpHandler handler) {
    routes.add(Route.get(path, load, right, handler));
    routes.add(Route.post(path, load, right, handler));
  }

  /** Validates the parameters. The answer is always empty because exemplars are not stored. */
  private static void exemplars(Exchange exchange) throws IOException {
    Parameters parameters = Parameters.of(exchange);
    Long start = parameters.time("start");
    Long end = parameters.time("end");
    if (start != null && end != null && end < start) {
      throw HttpError.badRequest("end timestamp must not be before start timestamp");
    }
    String query = parameters.text("query");
    try {
      PromQl.parse(query == null ? "" : query);
    } catch (PromQlException e) {
      throw HttpError.badRequest(String.valueOf(e.getMessage()));
    }
    Envelope.answer(
        exchange,
        json -> {
          json.writeStartArray();
          json.writeEndArray();
        });
  }

  private void targets(Exchange exchange) throws IOException {
    String state = exchange.parameter("state");
    Envelope.answer(
        exchange,
        json ->
            TargetsJson.write(
                scraper.get(),
                state == null ? "" : state.toLowerCase(Locale.ROOT),
                exchange.parameter("scrapePool"),
                json));
  }

  /**
   * Clients select features by this version: it is the version of the supported language and API.
   */
  private void buildInfo(Exchange exchange) throws IOException {
    Envelope.answer(
        exchange,
        json -> {
          json.writeStartObject();
          json.writeStringProperty("version", "3.5.0");
          json.writeStringProperty("revision", "varve " + version);
          json.writeStringProperty("branch", "");
          json.writeStringProperty("buildUser", "");
          json.writeStringProperty("buildDate", "");
          json.writeStringProperty("goVersion", "");
          json.writeEndObject();
        });
  }

  private static void formatQuery(Exchange exchange) throws IOException {
    Expr expr = query(exchange);
    String lines;
    try {
      lines = PrettyPrinter.print(expr);
    } catch (IllegalArgumentException e) {
      throw Parameters.invalid("query", e.getMessage());
    }
    Envelope.answer(exchange, json -> json.writeString(lines));
  }

  private static void parseQuery(Exchange exchange) throws IOException {
    Expr expr = query(exchange);
    Envelope.answer(exchange, json -> TreeJson.write(expr, json));
  }

  private static Expr query(Exchange exchange) throws IOException {
    String query = Parameters.of(exchange).text("query");
    try {
      return PromQl.parse(query == null ? "" : query);
    } catch (PromQlException e) {
      throw Parameters.invalid("query", e.getMessage());
    }
  }
}

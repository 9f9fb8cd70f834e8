package dev.varve.server.varve;

import dev.varve.engine.Dataset;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.formats.json.JsonLines;
import dev.varve.query.PlanExplanation;
import dev.varve.query.Query;
import dev.varve.query.QueryPlan;
import dev.varve.query.QueryRun;
import dev.varve.query.SelectorSyntaxException;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.Dialect;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.ErrorFormat;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Form;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.http.Router;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * The routes of Varve's own API.
 *
 * <ul>
 *   <li>{@code GET /varve/v1/dataset}: name, resolution and whether the dataset supports fields
 *   <li>{@code GET|POST /varve/v1/query}: takes {@link QueryParameters} in the URL or as a form and
 *       answers {@link ResultLines}
 *   <li>{@code GET|POST /varve/v1/explain}: takes an {@link ExplainRequest}
 *   <li>{@link PointRoutes}: writes points, or explains them
 *   <li>{@link CheckRoute}: reads all data of the server and reports damage
 *   <li>{@link Compactions}: rewrites of what is stored
 *   <li>{@link Deletes}: deletes
 *   <li>{@link Exports}: samples in bulk
 *   <li>{@link Fills}: samples at instants that the dataset lacks
 *   <li>{@link Backups}: backups of the data directory
 *   <li>{@link Cells}: layouts, and the cells that they make of points
 *   <li>{@link HeatMapRoute}: which rows of tables are read and written
 *   <li>{@link AdviceRoutes}: what the advisor says, and the cardinality of each day
 * </ul>
 *
 * <p>Errors are {@code {"error":"..."}}. An error in the middle of a result is its last line.
 */
public final class VarveApi implements Dialect {
  private static final String JSON = "application/json; charset=utf-8";
  private static final String JSON_LINES = "application/x-ndjson; charset=utf-8";

  /** The name of the dialect, and the path prefix of its routes. */
  public static final String NAME = "varve";

  private final DialectContext context;

  /** Creates the API of a listener. */
  public VarveApi(DialectContext context) {
    this.context = context;
  }

  @Override
  public String name() {
    return NAME;
  }

  /**
   * Returns the routes. They are mounted on every listener because the command line uses them to
   * recognise a server.
   */
  @Override
  public Router.Mount mount() {
    return new Router.Mount(NAME, true, routes(), VarveApi::error);
  }

  private static ErrorFormat.Body error(int status, String message) {
    return new ErrorFormat.Body(
        JSON,
        JsonLines.text(json -> {
          json.writeStartObject();
          json.writeStringProperty("error", message);
          json.writeEndObject();
        }));
  }

  private List<Route> routes() {
    List<Route> routes = new ArrayList<>(ownRoutes());
    routes.addAll(new PointRoutes(context).routes());
    routes.add(new CheckRoute(context).route());
    routes.add(new Compactions(context).route());
    routes.addAll(new Deletes(context).routes());
    routes.add(new Exports(context).route());
    routes.add(new Fills(context).route());
    routes.add(new Backups(context).route());
    routes.addAll(new Cells(context).routes());
    routes.add(new HeatMapRoute(context).route());
    routes.addAll(new AdviceRoutes(context).routes());
    return routes;
  }

  private List<Route> ownRoutes() {
    return List.of(
        Route.get("/v1/dataset", Load.NONE, Right.LOGIN, this::dataset),
        Route.get(
            "/v1/query", Load.QUERY, Right.READ, exchange -> query(exchange, ofUrl(exchange))),
        Route.post(
            "/v1/query", Load.QUERY, Right.READ, exchange -> query(exchange, ofForm(exchange))),
        Route.get(
            "/v1/explain", Load.QUERY, Right.READ, exchange -> explain(exchange, ofUrl(exchange))),
        Route.post(
            "/v1/explain",
            Load.QUERY,
            Right.READ,
            exchange -> explain(exchange, ofForm(exchange))));
  }

  private void dataset(Exchange exchange) throws IOException {
    Dataset dataset = context.dataset(exchange);
    answer(
        exchange,
        json -> {
          json.writeStartObject();
          json.writeStringProperty("name", dataset.name());
          json.writeStringProperty("resolution", dataset.resolution().symbol());
          json.writeStringProperty("created", dataset.created().toString());
          json.writeBooleanProperty("fields", dataset.holdsFields());
          json.writeStringProperty("durability", dataset.acknowledgement().word());
          json.writeEndObject();
        });
  }

  private void query(Exchange exchange, Map<String, String> texts) throws IOException {
    Dataset dataset = context.dataset(exchange);
    Query query = Query.of(plan(texts, dataset));
    context.query(
        exchange,
        dataset,
        NAME,
        ExplainRequest.words(texts),
        use -> answer(exchange, query.on(dataset, use), use));
  }

  private static void answer(Exchange exchange, QueryRun run, QueryUse use) throws IOException {
    try (OutputStream out = exchange.answer(JSON_LINES)) {
      ResultLines lines = new ResultLines(out);
      try {
        run.into(lines);
        lines.close();
      } catch (QueryRefusedException e) {
        if (!exchange.committed()) {
          throw e;
        }
        String reason = String.valueOf(e.getMessage());
        use.refusedAmid(reason);
        lines.fail(reason);
      }
    }
  }

  private void explain(Exchange exchange, Map<String, String> texts) throws IOException {
    Dataset dataset = context.dataset(exchange);
    ExplainRequest request = ExplainRequest.of(texts, context.clock(), exchange.memory());
    context.query(
        exchange,
        dataset,
        NAME,
        request.listed(),
        use -> {
          PlanExplanation explanation =
              request.explain(dataset, name -> context.beside(exchange.caller(), name), use);
          answer(exchange, json -> ExplanationJson.write(explanation, json));
        });
  }

  /** Creates the plan of a query. Errors in its parameters are the client's: 400. */
  private QueryPlan plan(Map<String, String> texts, Dataset dataset) {
    try {
      return new QueryParameters(texts).plan(dataset.resolution(), context.clock().instant());
    } catch (SelectorSyntaxException | IllegalArgumentException e) {
      throw HttpError.badRequest(String.valueOf(e.getMessage()));
    }
  }

  private static Map<String, String> ofUrl(Exchange exchange) {
    Map<String, String> texts = new LinkedHashMap<>();
    for (String name : QueryParameters.NAMES) {
      put(texts, name, exchange.parameter(name));
    }
    put(texts, "analyze", exchange.parameter("analyze"));
    put(texts, PromQlParameters.QUERY, exchange.parameter(PromQlParameters.QUERY));
    put(texts, "step", exchange.parameter("step"));
    ExplainRequest.dialects().forEach(name -> put(texts, name, exchange.parameter(name)));
    return texts;
  }

  private static void put(Map<String, String> texts, String name, @Nullable String text) {
    if (text != null) {
      texts.put(name, text);
    }
  }

  private static Map<String, String> ofForm(Exchange exchange) throws IOException {
    Map<String, String> texts = ofUrl(exchange);
    texts.putAll(Form.read(exchange));
    return texts;
  }

  /** Answers one JSON value. */
  static void answer(Exchange exchange, Consumer<JsonGenerator> content) throws IOException {
    try (OutputStream out = exchange.answer(JSON);
        JsonGenerator json = JsonLines.generator(out)) {
      content.accept(json);
    }
  }
}

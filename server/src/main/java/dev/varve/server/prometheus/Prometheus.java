package dev.varve.server.prometheus;

import dev.varve.query.promql.Expr;
import dev.varve.query.promql.PrettyPrinter;
import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.PromQlException;
import dev.varve.server.http.ErrorFormat;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Form;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.HttpHandler;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.http.Router;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * Prometheus' API as a dialect.
 *
 * <ul>
 *   <li>{@code GET|POST /api/v1/format_query}: {@code query} laid out in lines
 *   <li>{@code GET|POST /api/v1/parse_query}: the tree of {@code query}
 * </ul>
 */
public final class Prometheus {
  public static final String NAME = "prometheus";

  private static final String JSON = "application/json";

  /** A level of a query is two of JSON at most: an object, and a list of arguments. */
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
          .streamWriteConstraints(
              StreamWriteConstraints.builder().maxNestingDepth(3 * PromQl.DEPTH_MAX).build())
          .build();

  /** Its routes. */
  public Router.Mount mount() {
    List<Route> routes = new ArrayList<>();
    add(routes, "/api/v1/format_query", Prometheus::formatQuery);
    add(routes, "/api/v1/parse_query", Prometheus::parseQuery);
    return new Router.Mount(NAME, true, routes, Prometheus::error);
  }

  private static void add(List<Route> routes, String path, HttpHandler handler) {
    routes.add(Route.get(path, Load.READ, handler));
    routes.add(Route.post(path, Load.READ, handler));
  }

  private static void formatQuery(Exchange exchange) throws IOException {
    Expr expr = query(exchange);
    String lines;
    try {
      lines = PrettyPrinter.print(expr);
    } catch (IllegalArgumentException e) {
      throw invalid("query", e);
    }
    answer(exchange, json -> json.writeString(lines));
  }

  private static void parseQuery(Exchange exchange) throws IOException {
    Expr expr = query(exchange);
    answer(exchange, json -> TreeJson.write(expr, json));
  }

  private static Expr query(Exchange exchange) throws IOException {
    try {
      return PromQl.parse(parameters(exchange).getOrDefault("query", ""));
    } catch (PromQlException e) {
      throw invalid("query", e);
    }
  }

  /** Those of the body before those of the URL. */
  private static Map<String, String> parameters(Exchange exchange) throws IOException {
    Map<String, String> parameters =
        exchange.method().equals("POST") ? Form.read(exchange) : new LinkedHashMap<>();
    String query = exchange.parameter("query");
    if (query != null) {
      parameters.putIfAbsent("query", query);
    }
    return parameters;
  }

  private static HttpError invalid(String parameter, RuntimeException e) {
    return HttpError.badRequest(
        "invalid parameter \"%s\": %s".formatted(parameter, e.getMessage()));
  }

  private static void answer(Exchange exchange, Consumer<JsonGenerator> data) throws IOException {
    try (OutputStream out = exchange.answer(JSON);
        JsonGenerator json =
            FACTORY.createGenerator(ObjectWriteContext.empty(), out, JsonEncoding.UTF8)) {
      json.writeStartObject();
      json.writeStringProperty("status", "success");
      json.writeName("data");
      data.accept(json);
      json.writeEndObject();
    }
  }

  private static ErrorFormat.Body error(int status, String message) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeStringProperty("status", "error");
      json.writeStringProperty("errorType", errorType(status));
      json.writeStringProperty("error", message);
      json.writeEndObject();
    }
    return new ErrorFormat.Body(JSON, text.toString());
  }

  /** The kinds of errors that Prometheus knows. */
  private static String errorType(int status) {
    return switch (status) {
      case 404 -> "not_found";
      case 422 -> "execution";
      case 503 -> "unavailable";
      default -> status < 500 ? "bad_data" : "internal";
    };
  }
}

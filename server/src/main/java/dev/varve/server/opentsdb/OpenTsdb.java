package dev.varve.server.opentsdb;

import dev.varve.engine.Catalog;
import dev.varve.engine.Dataset;
import dev.varve.engine.ReadGuard;
import dev.varve.formats.json.Json;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.server.Dialect;
import dev.varve.server.DialectContext;
import dev.varve.server.http.ErrorFormat;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HeldJson;
import dev.varve.server.http.HttpHandler;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.http.Router;
import dev.varve.server.http.StreamProtocol;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * OpenTSDB's HTTP API as in OpenTSDB 2.4.
 *
 * <ul>
 *   <li>{@code POST /api/put}: writes points
 *   <li>{@code GET|POST /api/suggest}: the first metrics, tag names or tag values with a prefix
 *   <li>{@code GET|POST /api/version}, {@code /api/aggregators}, {@code /api/config}
 * </ul>
 *
 * <p>All except the version also answer under {@code /api/v1}, where the version is KairosDB's.
 */
public final class OpenTsdb implements Dialect {
  static final String CONTENT_TYPE = "application/json; charset=UTF-8";

  /** JSON is UTF-8 (RFC 8259, 8.1), so the encoding is not detected. */
  private static final int SUGGESTED = 25;

  /** Memory of a member of a posted request without its texts, in bytes. */
  private static final int MEMBER_BYTES = 160;

  private static final List<String> TYPES = List.of("metrics", "tagk", "tagv");
  private static final Selector ALL = new Selector(List.of());

  private static final Pattern VERSION = Pattern.compile("v[0-9]+");

  /** First path components of OpenTSDB's API. */
  private static final Set<String> ENDPOINTS =
      Set.of(
          "aggregators",
          "annotation",
          "annotations",
          "config",
          "dropcaches",
          "histogram",
          "put",
          "rollup",
          "search",
          "serializers",
          "stats",
          "suggest",
          "tree",
          "uid",
          "version");

  private static final List<String> AGGREGATORS =
      List.of(
          "avg",
          "count",
          "dev",
          "diff",
          "ep50r3",
          "ep50r7",
          "ep75r3",
          "ep75r7",
          "ep90r3",
          "ep90r7",
          "ep95r3",
          "ep95r7",
          "ep999r3",
          "ep999r7",
          "ep99r3",
          "ep99r7",
          "first",
          "last",
          "max",
          "median",
          "mimmax",
          "mimmin",
          "min",
          "mult",
          "none",
          "p50",
          "p75",
          "p90",
          "p95",
          "p99",
          "p999",
          "pfsum",
          "squareSum",
          "sum",
          "zimsum");

  /** The values of settings that clients query. */
  private static final Map<String, String> CONFIG =
      Map.of(
          "tsd.core.auto_create_metrics",
          "true",
          "tsd.http.request.enable_chunked",
          "true",
          "tsd.storage.fix_duplicates",
          "true");

  private final DialectContext context;

  /** Creates the dialect. */
  public OpenTsdb(DialectContext context) {
    this.context = context;
  }

  @Override
  public String name() {
    return Telnet.NAME;
  }

  @Override
  public StreamProtocol lines() {
    return new Telnet(context);
  }

  @Override
  public Router.Mount mount() {
    List<Route> routes = new ArrayList<>();
    for (String api : List.of("/api/", "/api/v1/")) {
      routes.add(Route.post(api + "put", Load.WRITE, wording(e -> new Put(context, e).run())));
      routes.add(Route.get(api + "put", Load.NONE, wording(OpenTsdb::notAllowed)));
      both(routes, api + "suggest", Load.QUERY, wording(this::suggest));
      both(routes, api + "aggregators", Load.NONE, OpenTsdb::aggregators);
      both(routes, api + "config", Load.NONE, OpenTsdb::config);
    }
    both(routes, "/api/version", Load.NONE, this::version);
    Queries queries = new Queries(context);
    for (String api : List.of("/api/query", "/api/v1/query")) {
      List<Route> here = new ArrayList<>();
      both(here, api, Load.QUERY, wording(queries::query));
      here.add(new Route("DELETE", api, Load.QUERY, wording(queries::delete)));
      here.forEach(route -> routes.add(route.whereFree()));
    }
    return new Router.Mount(Telnet.NAME, true, true, routes, new Errors(), OpenTsdb::isOwn);
  }

  /**
   * Returns whether a path belongs to OpenTSDB's API, even if no such endpoint exists: everything
   * below {@code /api/}, except that below a version only OpenTSDB's endpoints count, because other
   * dialects use such paths too.
   */
  static boolean isOwn(String path) {
    if (!path.startsWith("/api/")) {
      return false;
    }
    String[] steps = path.substring("/api/".length()).split("/", -1);
    return !VERSION.matcher(steps[0]).matches()
        || (steps[0].equals("v1") && steps.length > 1 && ENDPOINTS.contains(steps[1]));
  }

  private static final class Errors implements ErrorFormat {
    @Override
    public Body of(int status, String message) {
      return new Body(CONTENT_TYPE, error(status, message, ""));
    }

    @Override
    public Body of(Exchange exchange, int status, String kind, String message) {
      return kind.equals(NOTHING_THERE)
          ? new Body(CONTENT_TYPE, error(status, "Endpoint not found", message))
          : of(status, message);
    }
  }

  private static void both(List<Route> routes, String path, Load load, HttpHandler handler) {
    routes.add(Route.get(path, load, handler));
    routes.add(Route.post(path, load, handler).reading());
  }

  private static String error(int status, String message, String details) {
    return Json.text(json -> {
      json.writeStartObject();
      json.writeObjectPropertyStart("error");
      json.writeNumberProperty("code", status);
      json.writeStringProperty("message", message);
      if (!details.isEmpty()) {
        json.writeStringProperty("details", details);
      }
      json.writeEndObject();
      json.writeEndObject();
    });
  }

  /** Wraps a handler to answer errors with details. */
  private static HttpHandler wording(HttpHandler handler) {
    return exchange -> {
      try {
        refuseJsonp(exchange);
        handler.handle(exchange);
      } catch (OpenTsdbError e) {
        exchange.answer(
            e.status(),
            CONTENT_TYPE,
            error(e.status(), String.valueOf(e.getMessage()), e.details()));
      }
    };
  }

  /** A script from another origin would read answers that the browser keeps from its page. */
  private static void refuseJsonp(Exchange exchange) {
    if (exchange.parameter("jsonp") != null) {
      throw new OpenTsdbError(
          400,
          "JSONP is not supported",
          "take JSON, and list the page's origin in web.cors-origins");
    }
  }

  private static void notAllowed(Exchange exchange) {
    throw new OpenTsdbError(
        405,
        "Method not allowed",
        "The HTTP method [%s] is not permitted for this endpoint".formatted(exchange.method()));
  }

  private void version(Exchange exchange) throws IOException {
    answerMap(
        exchange,
        Map.of(
            "version",
            "2.4.0",
            "short_revision",
            "",
            "full_revision",
            "varve " + context.version(),
            "timestamp",
            "0",
            "repo_status",
            "MODIFIED",
            "user",
            "",
            "host",
            "",
            "repo",
            "",
            "branch",
            ""));
  }

  private static void aggregators(Exchange exchange) throws IOException {
    answerList(exchange, AGGREGATORS);
  }

  private static void config(Exchange exchange) throws IOException {
    answerMap(exchange, CONFIG);
  }

  private static void answerMap(Exchange exchange, Map<String, String> map) throws IOException {
    exchange.answer(
        200,
        CONTENT_TYPE,
        Json.text(json -> {
          json.writeStartObject();
          map.forEach(json::writeStringProperty);
          json.writeEndObject();
        }));
  }

  private static void answerList(Exchange exchange, Iterable<String> list) throws IOException {
    exchange.answer(
        200,
        CONTENT_TYPE,
        Json.text(json -> {
          json.writeStartArray();
          list.forEach(json::writeString);
          json.writeEndArray();
        }));
  }

  private void suggest(Exchange exchange) throws IOException {
    boolean posted = exchange.method().equals("POST");
    Map<String, String> given = posted ? posted(exchange) : Map.of();
    String type = posted ? given.get("type") : exchange.parameter("type");
    String prefix = posted ? given.get("q") : exchange.parameter("q");
    String max = posted ? given.get("max") : exchange.parameter("max");
    if (type == null || type.isEmpty()) {
      throw new OpenTsdbError(
          400, posted ? "Missing 'type' parameter" : "Missing parameter <code>type</code>");
    }
    if (!TYPES.contains(type)) {
      throw new OpenTsdbError(400, "Invalid 'type' parameter:" + type);
    }
    String begin = prefix == null ? "" : prefix;
    int most = max(max);
    Dataset dataset = context.dataset(exchange);
    context.query(
        exchange,
        dataset,
        Telnet.NAME,
        "suggest " + type + (begin.isEmpty() ? "" : " q=" + begin),
        use -> answerList(exchange, found(dataset.catalog(), type, begin, most, use)));
  }

  private static int max(@Nullable String text) {
    try {
      int max = text == null || text.isEmpty() ? 0 : Integer.parseInt(text);
      return max > 0 ? max : SUGGESTED;
    } catch (NumberFormatException e) {
      throw new OpenTsdbError(400, "Unable to parse 'max' as a number");
    }
  }

  /** Returns the names with a prefix, sorted. */
  private static List<String> found(
      Catalog catalog, String type, String prefix, int max, ReadGuard guard) {
    return switch (type) {
      case "metrics" -> catalog.firstValues(Series.NAME_LABEL, prefix, max, guard);
      case "tagk" ->
          catalog.labelNames(ALL, null, guard).stream()
              .filter(name -> isTag(name) && name.startsWith(prefix))
              .limit(max)
              .toList();
      default -> catalog.firstValues(null, prefix, max, guard);
    };
  }

  private static boolean isTag(String label) {
    return !label.equals(Series.NAME_LABEL) && !label.equals(Series.FIELD_LABEL);
  }

  /** Returns the members of a posted request whose values are scalars, as texts. */
  private static Map<String, String> posted(Exchange exchange) throws IOException {
    Map<String, String> members = new java.util.HashMap<>();
    InputStream body = new ByteArrayInputStream(exchange.wholeBody());
    try (JsonParser json = HeldJson.of(Json.FACTORY, body, exchange.memory())) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new OpenTsdbError(400, "Unable to parse the given JSON");
      }
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        if (json.nextToken().isScalarValue()) {
          String text = json.getString();
          exchange.memory().hold(MEMBER_BYTES + 2L * (name.length() + text.length()));
          members.put(name, text);
        } else {
          json.skipChildren();
        }
      }
      return members;
    } catch (JacksonException e) {
      throw new OpenTsdbError(400, "Unable to parse the given JSON", e.getOriginalMessage());
    }
  }
}

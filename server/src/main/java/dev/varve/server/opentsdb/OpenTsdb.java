package dev.varve.server.opentsdb;

import dev.varve.engine.Catalog;
import dev.varve.engine.Dataset;
import dev.varve.engine.request.ReadGuard;
import dev.varve.formats.json.Json;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.server.dialect.Dialect;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.ErrorFormat;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HeldJson;
import dev.varve.server.http.HttpHandler;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.http.Router;
import dev.varve.server.http.StreamProtocol;
import dev.varve.server.opentsdb.annotation.Annotations;
import dev.varve.server.opentsdb.histogram.Histograms;
import dev.varve.server.opentsdb.query.JsonAnswer;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * OpenTSDB's HTTP API as in OpenTSDB 2.4.
 *
 * <p>Every path answers below {@code /api} and below {@code /api/v1}. Where another dialect of the
 * listener has the same path, OpenTSDB's form answers under {@code /opentsdb} alone.
 */
public final class OpenTsdb implements Dialect {
  /** Maximum number of characters of an error's message, and of its details. */
  private static final int QUOTED_MAX = 10_000;

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
          "query",
          "rollup",
          "search",
          "serializers",
          "stats",
          "suggest",
          "tree",
          "uid",
          "version");

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
      List<Route> here = new ArrayList<>();
      writing(here, api);
      queries(here, api + "query");
      catalog(here, api);
      about(here, api);
      here.addAll(Unsupported.routes(api, OpenTsdb::wording));
      // Below a version, other dialects may have the same path.
      here.forEach(route -> routes.add(api.equals("/api/") ? route : route.whereFree()));
    }
    return new Router.Mount(Telnet.NAME, true, true, routes, new Errors(), OpenTsdb::isOwn);
  }

  private void writing(List<Route> routes, String api) {
    routes.add(Route.post(api + "put", Load.WRITE, Right.WRITE, wording(this::put)));
    routes.add(Route.post(api + "rollup", Load.WRITE, Right.WRITE, wording(this::rollup)));
    routes.add(Route.post(api + "histogram", Load.WRITE, Right.WRITE, wording(this::histogram)));
    for (String path : List.of("put", "rollup", "histogram")) {
      routes.add(Route.get(api + path, Load.NONE, Right.LOGIN, wording(OpenTsdb::notAllowed)));
    }
  }

  private void put(Exchange exchange) throws IOException {
    new Put(context, exchange, new PlainPoints(context.dataset(exchange))).run();
  }

  private void rollup(Exchange exchange) throws IOException {
    Dataset dataset = context.dataset(exchange);
    RollupPoints points =
        new RollupPoints(dataset, Queries.rollups(context, exchange.caller(), dataset));
    new Put(context, exchange, points).run();
  }

  private void histogram(Exchange exchange) throws IOException {
    Dataset dataset = context.dataset(exchange);
    Histograms histograms = Queries.histograms(context, exchange.caller(), dataset);
    if (histograms.codec() == null) {
      throw new OpenTsdbError(
          503, "Histogram storage has not been enabled. Check the 'histograms' of the dataset.");
    }
    new Put(context, exchange, new HistogramPoints(dataset, histograms)).run();
  }

  private void queries(List<Route> routes, String path) {
    Queries queries = new Queries(context);
    String deletes = "delete, with 'delete': true in the body or method_override=delete";
    routes.add(
        Route.get(path, Load.QUERY, Right.READ, wording(queries::query))
            .asking(deletes, Queries::needs));
    routes.add(
        Route.post(path, Load.QUERY, Right.READ, wording(queries::query))
            .reading()
            .asking(deletes, Queries::needs));
    routes.add(
        new Route("DELETE", path, Load.QUERY, Right.DELETE, wording(queries::query))
            .changing()
            .asking("read, since the answer holds what is deleted", Queries::needs));
    routes.add(Route.get(path + "/gexp", Load.QUERY, Right.READ, wording(queries::functions)));
    routes.add(
        Route.post(path + "/exp", Load.QUERY, Right.READ, wording(queries::expressions)).reading());
    both(routes, path + "/last", Load.QUERY, Right.READ, new LastPoints(context)::handle);
  }

  private void catalog(List<Route> routes, String api) {
    Uids uids = new Uids(context);
    annotations(routes, api);
    both(routes, api + "suggest", Load.QUERY, Right.READ, this::suggest);
    both(routes, api + "search/lookup", Load.QUERY, Right.READ, new Lookup(context)::handle);
    String stores = "write, where the layout keeps UIDs";
    String assign = api + "uid/assign";
    routes.add(Route.get(assign, Load.QUERY, Right.READ, wording(uids::assign)).asking(stores));
    routes.add(
        Route.post(assign, Load.QUERY, Right.READ, wording(uids::assign)).reading().asking(stores));
    HttpHandler rename = wording(new UidRename(context)::handle);
    String all = "admin, where the layout keeps UIDs";
    String renames = api + "uid/rename";
    routes.add(Route.get(renames, Load.QUERY, Right.READ, rename).asking(all));
    routes.add(Route.post(renames, Load.QUERY, Right.READ, rename).reading().asking(all));
    UidMetaRoutes meta = new UidMetaRoutes(context);
    String about = api + "uid/uidmeta";
    routes.add(Route.get(about, Load.QUERY, Right.READ, wording(meta::get)));
    // All series that have a name share its notes.
    routes.add(Route.post(about, Load.WRITE, Right.WRITE, wording(meta::save)).ofAllSeries());
    routes.add(new Route("PUT", about, Load.WRITE, Right.WRITE, wording(meta::save)).ofAllSeries());
    routes.add(
        new Route("DELETE", about, Load.WRITE, Right.DELETE, wording(meta::delete)).ofAllSeries());
    TsMetaRoutes series = new TsMetaRoutes(context);
    String ofSeries = api + "uid/tsmeta";
    routes.add(Route.get(ofSeries, Load.QUERY, Right.READ, wording(series::get)));
    routes.add(Route.post(ofSeries, Load.WRITE, Right.WRITE, wording(series::save)));
    routes.add(new Route("PUT", ofSeries, Load.WRITE, Right.WRITE, wording(series::save)));
    routes.add(new Route("DELETE", ofSeries, Load.WRITE, Right.DELETE, wording(series::delete)));
  }

  private void annotations(List<Route> routes, String api) {
    Annotations annotations = new Annotations(context, Telnet.NAME);
    String override = "write or delete, with method_override=post, put or delete";
    String one = api + "annotation";
    routes.add(
        Route.get(one, Load.QUERY, Right.READ, wording(annotations::one))
            .asking(override, Annotations::needs));
    writes(routes, one, annotations::one);
    routes.add(
        Route.get(api + "annotations", Load.QUERY, Right.READ, wording(annotations::list))
            .ofAllSeries());
    routes.add(
        Route.get(one + "/bulk", Load.QUERY, Right.READ, wording(annotations::bulk))
            .asking(override, Annotations::needs));
    writes(routes, one + "/bulk", annotations::bulk);
  }

  private static void writes(List<Route> routes, String path, HttpHandler handler) {
    routes.add(Route.post(path, Load.WRITE, Right.WRITE, wording(handler)));
    routes.add(new Route("PUT", path, Load.WRITE, Right.WRITE, wording(handler)));
    routes.add(new Route("DELETE", path, Load.WRITE, Right.DELETE, wording(handler)));
  }

  private void about(List<Route> routes, String api) {
    About about = new About(context);
    both(routes, api + "version", Load.NONE, Right.LOGIN, about::version);
    both(routes, api + "aggregators", Load.NONE, Right.LOGIN, About::aggregators);
    both(routes, api + "config", Load.NONE, Right.LOGIN, About::config);
    both(routes, api + "config/filters", Load.NONE, Right.LOGIN, About::filters);
    both(routes, api + "dropcaches", Load.NONE, Right.ADMIN, about::dropCaches);
    both(routes, api + "stats", Load.NONE, Right.READ, about::stats);
    both(routes, api + "stats/jvm", Load.NONE, Right.LOGIN, JvmStats::jvm);
    both(routes, api + "stats/threads", Load.NONE, Right.LOGIN, JvmStats::threads);
    both(routes, api + "stats/query", Load.NONE, Right.READ, about::queries);
    both(routes, api + "stats/region_clients", Load.NONE, Right.LOGIN, About::regionClients);
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
      return new Body(JsonAnswer.TYPE, error(status, message, ""));
    }

    @Override
    public Body of(Exchange exchange, int status, String kind, String message) {
      return kind.equals(NOTHING_THERE)
          ? new Body(JsonAnswer.TYPE, error(status, "Endpoint not found", message))
          : of(status, message);
    }
  }

  private static void both(
      List<Route> routes, String path, Load load, Right right, HttpHandler handler) {
    routes.add(Route.get(path, load, right, wording(handler)));
    routes.add(Route.post(path, load, right, wording(handler)).reading());
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
            JsonAnswer.TYPE,
            error(e.status(), shortened(String.valueOf(e.getMessage())), shortened(e.details())));
      }
    };
  }

  /** Shortens a text, because it may quote a long query. */
  private static String shortened(String text) {
    return text.length() <= QUOTED_MAX ? text : text.substring(0, QUOTED_MAX) + "...";
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

  private static void answerList(Exchange exchange, Iterable<String> list) throws IOException {
    exchange.answer(
        200,
        JsonAnswer.TYPE,
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
    int most = max(max);
    if (!TYPES.contains(type)) {
      throw new OpenTsdbError(400, "Invalid 'type' parameter:" + type);
    }
    String begin = prefix == null ? "" : prefix;
    Dataset dataset = context.dataset(exchange);
    context.query(
        exchange,
        dataset,
        Telnet.NAME,
        "suggest " + type + (begin.isEmpty() ? "" : " q=" + begin),
        use -> {
          SortedSet<String> all = new TreeSet<>(found(dataset.catalog(), type, begin, most, use));
          // Names of roll-ups and histograms are names of the dataset, too.
          for (Dataset other : Queries.rollups(context, exchange.caller(), dataset).all()) {
            all.addAll(found(other.catalog(), type, begin, most, use));
          }
          answerList(exchange, all.stream().limit(most).toList());
        });
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
    Map<String, String> members = new HashMap<>();
    InputStream body = new ByteArrayInputStream(exchange.wholeBody());
    try (JsonParser json = HeldJson.of(Json.FACTORY, body, exchange.memory())) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new OpenTsdbError(400, "Unable to parse the given JSON");
      }
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        JsonToken token = json.nextToken();
        if (token == JsonToken.VALUE_NULL) {
          continue;
        }
        if (token.isScalarValue()) {
          String text = json.getString();
          exchange.memory().hold(MEMBER_BYTES + 2L * (name.length() + text.length()));
          members.put(name, text);
        } else {
          throw new OpenTsdbError(
              400, "Unable to parse the given JSON", "'%s' is a text or a number".formatted(name));
        }
      }
      return members;
    } catch (JacksonException e) {
      throw new OpenTsdbError(400, "Unable to parse the given JSON", e.getOriginalMessage());
    }
  }
}

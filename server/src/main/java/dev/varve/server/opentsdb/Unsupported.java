package dev.varve.server.opentsdb;

import dev.varve.server.http.HttpHandler;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** The paths of OpenTSDB's API that are refused by name, with the reason. */
final class Unsupported {
  /** A refusal. */
  private record Reason(int status, String message, String details) {}

  private static final Reason TREES =
      new Reason(501, "trees are not supported", "/api/search/lookup finds series by their tags");
  private static final Reason SEARCH =
      new Reason(400, "Searching is not enabled", "Searching has not been enabled on this TSD");

  private static final Map<String, Reason> PATHS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("tree", TREES),
              Map.entry("tree/" + Route.ANY, TREES),
              Map.entry("search/" + Route.ANY, SEARCH)));

  private Unsupported() {}

  /**
   * Returns the routes.
   *
   * @param api where the API begins, with a slash at the end
   * @param wording answers errors in OpenTSDB's format
   */
  static List<Route> routes(String api, UnaryOperator<HttpHandler> wording) {
    List<Route> routes = new ArrayList<>();
    PATHS.forEach((path, reason) -> {
      for (String method : List.of("GET", "POST", "PUT", "DELETE")) {
        routes.add(route(method, api + path, reason, wording));
      }
    });
    return routes;
  }

  private static Route route(
      String method, String path, Reason reason, UnaryOperator<HttpHandler> wording) {
    HttpHandler refusing =
        exchange -> {
          throw new OpenTsdbError(reason.status(), reason.message(), reason.details());
        };
    return new Route(method, path, Load.NONE, Right.LOGIN, wording.apply(refusing)).reading();
  }
}

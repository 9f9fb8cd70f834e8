package dev.varve.server.prometheus;

import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpHandler;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Lets pages of every origin read, as Prometheus does unless it is told otherwise: data sources of
 * Grafana ask from the browser in their direct mode.
 */
final class CrossOrigin {
  private CrossOrigin() {}

  /** The routes, open to every origin, and for each path one for what browsers ask ahead. */
  static List<Route> open(List<Route> routes) {
    List<Route> open = new ArrayList<>();
    Set<String> paths = new LinkedHashSet<>();
    for (Route route : routes) {
      open.add(new Route(route.method(), route.path(), route.load(), allowing(route.handler())));
      paths.add(route.path());
    }
    HttpHandler nothing = allowing(exchange -> exchange.answer(204));
    paths.forEach(path -> open.add(new Route("OPTIONS", path, Load.NONE, nothing)));
    return open;
  }

  private static HttpHandler allowing(HttpHandler handler) {
    return exchange -> {
      allow(exchange);
      handler.handle(exchange);
    };
  }

  private static void allow(Exchange exchange) {
    exchange.header("Vary", "Origin");
    if (exchange.header("Origin") != null) {
      exchange.header("Access-Control-Allow-Origin", "*");
      exchange.header(
          "Access-Control-Allow-Headers", "Accept, Authorization, Content-Type, Origin");
      exchange.header("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
      exchange.header("Access-Control-Expose-Headers", "Date");
    }
  }
}

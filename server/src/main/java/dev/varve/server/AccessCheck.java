package dev.varve.server;

import dev.varve.query.running.RunningQueries;
import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.http.Caller;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Router;
import dev.varve.server.operations.Operations;
import dev.varve.server.operations.ServerMetrics;
import dev.varve.server.queries.SlowQueryLog;
import dev.varve.server.security.AccessRules;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells without a running server what its users may do. */
public final class AccessCheck {
  private final ServerConfig config;
  private final AccessRules rules;
  private final String defaultDataset;

  /**
   * A decision.
   *
   * @param status 200 if the request is admitted, otherwise the status of the error
   * @param right the right that the path needs
   * @param reason why it is refused; empty if it is admitted
   * @param further when a request needs another right too; empty if none does
   */
  public record Decision(int status, Right right, String reason, String further) {}

  /** A route that some listener answers. */
  public record Endpoint(String dialect, Route route) {}

  /**
   * Reads the files that say who may do what.
   *
   * @throws dev.varve.server.config.ConfigException if they have a problem
   */
  public AccessCheck(ServerConfig config, String defaultDataset) {
    this.config = config;
    this.rules = AccessRules.read(config.access());
    this.defaultDataset = defaultDataset;
  }

  /** Returns the names of all users. */
  public List<String> users() {
    return rules.names();
  }

  /**
   * Decides about a request.
   *
   * @param user name of a user; null for a request that proves nothing
   * @param path path with or without a query
   * @param port listener; null for the first one that speaks HTTP
   */
  public Decision decide(
      @Nullable String user, String method, String path, @Nullable Integer port) {
    Listener listener =
        config.listen().stream()
            .filter(each -> each.feed() == null && (port == null || each.port() == port))
            .findFirst()
            .orElseThrow(
                () -> new IllegalArgumentException("no listener of HTTP has port " + port));
    int end = path.indexOf('?');
    Router.Match match = router(listener).find(method, end < 0 ? path : path.substring(0, end));
    Route route = match.route();
    String further = route == null ? "" : route.further();
    Right right = match.right();
    if (right == Right.OPEN) {
      return new Decision(200, right, "", "");
    }
    Caller caller = rules.authenticates() ? user == null ? null : rules.named(user) : Caller.ANYONE;
    if (caller == null) {
      return new Decision(401, right, "there is no such user", further);
    }
    try {
      match.require(caller, dataset(match, listener));
    } catch (HttpError e) {
      return new Decision(e.status(), right, String.valueOf(e.getMessage()), further);
    }
    return route == null
        ? new Decision(404, right, "there is nothing at " + path, further)
        : new Decision(200, right, "", further);
  }

  /** Returns the dataset of a request without headers; null if it concerns none. */
  private @Nullable String dataset(Router.Match match, Listener listener) {
    String named = match.datasetName();
    if (named != null) {
      return named;
    }
    boolean concernsOne =
        match.mount() != null && match.mount().prefixed() && match.right() != Right.LOGIN;
    String own = listener.dataset();
    return concernsOne ? own == null ? defaultDataset : own : null;
  }

  /** Returns all endpoints of a server that speaks all dialects on one port. */
  public static List<Endpoint> endpoints() {
    List<Endpoint> endpoints = new ArrayList<>();
    for (Router.Mount mount :
        new AccessCheck(ServerConfig.DEFAULTS, "").router(Listener.DEFAULTS).mounts()) {
      mount.routes().forEach(route -> endpoints.add(new Endpoint(mount.name(), route)));
    }
    return endpoints;
  }

  private Router router(Listener listener) {
    RunningQueries queries =
        new RunningQueries(config.query().capacity(), ended -> {}, Clock.systemUTC());
    ServerMetrics metrics = new ServerMetrics();
    DialectContext context =
        new DialectContext(
            () -> null,
            listener.dataset(),
            queries,
            config.query().limits(),
            metrics,
            config.door(),
            () -> null,
            dataset -> List.of(),
            config.deletes(),
            Clock.systemUTC(),
            Server.version());
    ListenerRoutes routes =
        new ListenerRoutes(
            config.listen(),
            new Operations(metrics, () -> null, () -> false, () -> {}),
            queries,
            new SlowQueryLog(config.query().slow()),
            () -> null);
    return routes.router(listener, routes.dialects(listener, context), context);
  }
}

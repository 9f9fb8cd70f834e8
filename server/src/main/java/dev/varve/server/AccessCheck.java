package dev.varve.server;

import dev.varve.query.running.RunningQueries;
import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Caller;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Router;
import dev.varve.server.http.UnsentExchange;
import dev.varve.server.operations.Operations;
import dev.varve.server.operations.ServerMetrics;
import dev.varve.server.queries.SlowQueryLog;
import dev.varve.server.security.AccessRules;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which requests of a user a server would admit, without a running server. For one thread.
 */
public final class AccessCheck {
  private final ServerConfig config;
  private final AccessRules rules;
  private final String defaultDataset;
  private final Map<Listener, Router> routers = new HashMap<>();

  /**
   * A decision.
   *
   * @param status 200 if the request is admitted, otherwise the status of the error
   * @param rights the rights that the request needs
   * @param reason why it is refused; empty if it is admitted
   * @param further the case in which the request needs another right too, if the request alone does
   *     not show it; empty if there is none
   */
  public record Decision(int status, Set<Right> rights, String reason, String further) {
    public Decision {
      rights = Set.copyOf(rights);
    }
  }

  /**
   * A request to decide about.
   *
   * @param target path with or without a query
   * @param headers by name
   * @param body empty for none
   */
  public record Request(String method, String target, Map<String, String> headers, String body) {
    public Request {
      headers = Map.copyOf(headers);
    }

    /** Creates a request without headers and body. */
    public Request(String method, String target) {
      this(method, target, Map.of(), "");
    }

    private UnsentExchange exchange() {
      return new UnsentExchange(method, target, headers, body.getBytes(StandardCharsets.UTF_8));
    }
  }

  /** A route that some listener answers. */
  public record Endpoint(String dialect, Route route) {}

  /**
   * Reads the files that define users and their rights.
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
   * @param user name of a user; null for a request without authentication
   * @param port listener; null for the first one that speaks HTTP
   */
  public Decision decide(@Nullable String user, Request request, @Nullable Integer port) {
    Listener listener =
        config.listen().stream()
            .filter(each -> each.feed() == null && (port == null || each.port() == port))
            .findFirst()
            .orElseThrow(
                () -> new IllegalArgumentException("no listener of HTTP has port " + port));
    UnsentExchange exchange;
    Router.Match match;
    try {
      exchange = request.exchange();
      match =
          routers
              .computeIfAbsent(listener, this::router)
              .find(exchange.method(), exchange.rawPath());
      exchange.found(match);
    } catch (HttpError e) {
      return refused(e, Set.of());
    }
    Set<Right> rights = EnumSet.of(match.right());
    if (match.right() == Right.OPEN) {
      return new Decision(200, rights, "", "");
    }
    Caller caller = rules.authenticates() ? user == null ? null : rules.named(user) : Caller.ANYONE;
    if (caller == null) {
      return new Decision(401, rights, "there is no such user", "");
    }
    try {
      match.require(caller, dataset(exchange, match, listener));
      return match.route() == null
          ? new Decision(404, rights, "there is nothing at " + exchange.rawPath(), "")
          : further(exchange, match.route(), caller);
    } catch (HttpError e) {
      return refused(e, rights);
    }
  }

  private static Decision refused(HttpError e, Set<Right> rights) {
    return new Decision(e.status(), rights, String.valueOf(e.getMessage()), "");
  }

  /** Decides by the parts of the request other than its path, as its handler does. */
  private static Decision further(UnsentExchange exchange, Route route, Caller caller) {
    Set<Right> rights = EnumSet.of(route.right());
    Route.Needs needs = route.needs();
    if (needs == null) {
      return new Decision(200, rights, "", route.further());
    }
    try {
      Set<Right> more = needs.of(exchange);
      rights.addAll(more);
      more.stream().sorted().forEach(caller::require);
      return new Decision(200, rights, "", "");
    } catch (HttpError e) {
      return e.status() == 403 || exchange.saysMore()
          ? refused(e, rights)
          : new Decision(200, rights, "", route.further());
    } catch (IOException | RuntimeException e) {
      return exchange.saysMore()
          ? new Decision(400, rights, "the request is invalid: " + e.getMessage(), "")
          : new Decision(200, rights, "", route.further());
    }
  }

  /** Returns the dataset of a request; null if it concerns none. */
  private @Nullable String dataset(UnsentExchange exchange, Router.Match match, Listener listener) {
    String named = exchange.dataset();
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

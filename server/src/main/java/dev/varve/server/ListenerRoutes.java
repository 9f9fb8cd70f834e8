package dev.varve.server;

import dev.varve.engine.Engine;
import dev.varve.query.running.RunningQueries;
import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.console.ConsolePages;
import dev.varve.server.dialect.Dialect;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Router;
import dev.varve.server.operations.DamageStatus;
import dev.varve.server.operations.Operations;
import dev.varve.server.operations.SnapshotRoutes;
import dev.varve.server.prometheus.Prometheus;
import dev.varve.server.queries.QueryStatus;
import dev.varve.server.queries.SlowQueryLog;
import dev.varve.server.varve.VarveApi;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The routes of each listener.
 *
 * @param listeners all listeners of the server
 * @param engine supplies null until the stores are open
 */
record ListenerRoutes(
    List<Listener> listeners,
    Operations operations,
    RunningQueries queries,
    SlowQueryLog slowQueries,
    Supplier<@Nullable Engine> engine) {
  /** Returns the dialects of a listener of HTTP. */
  List<Dialect> dialects(Listener listener, DialectContext context) {
    return listener.dialects().stream()
        .filter(name -> !name.equals(Operations.NAME))
        .map(name -> Dialects.of(name, context))
        .toList();
  }

  /**
   * Returns the router of a listener of HTTP.
   *
   * @throws IllegalArgumentException if two dialects claim the same path
   */
  Router router(Listener listener, List<Dialect> dialects, DialectContext context) {
    List<Router.Mount> mounts =
        new ArrayList<>(answersOperators(listener) ? operators() : List.of());
    if (!listener.dialects().equals(List.of(Operations.NAME))) {
      mounts.add(new VarveApi(context).mount());
    }
    if (listener.dialects().contains(Prometheus.NAME)) {
      mounts.add(new ConsolePages().mount());
    }
    for (Dialect dialect : dialects) {
      mounts.add(
          dialect.sharesRoot() || dialects.size() == 1
              ? dialect.mount()
              : dialect.mount().belowName());
    }
    return new Router(mounts);
  }

  /** Returns the router of the Unix socket, with the routes that commands use. */
  Router local(DialectContext context) {
    List<Router.Mount> mounts = operators();
    mounts.add(new VarveApi(context).mount());
    mounts.add(Dialects.of(Prometheus.NAME, context).mount().belowName());
    return new Router(mounts);
  }

  /** Every HTTP listener answers operators, unless the configuration names the ones that do. */
  private boolean answersOperators(Listener listener) {
    return listener.dialects().contains(Operations.NAME)
        || listeners.stream().noneMatch(other -> other.dialects().contains(Operations.NAME));
  }

  private List<Router.Mount> operators() {
    List<Router.Mount> mounts = new ArrayList<>();
    mounts.add(operations.mount());
    mounts.add(new QueryStatus(queries, slowQueries).mount());
    mounts.add(new DamageStatus(engine).mount());
    mounts.add(new SnapshotRoutes(engine).mount());
    return mounts;
  }
}

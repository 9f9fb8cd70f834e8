package dev.varve.server.operations;

import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.error.UnknownDatasetException;
import dev.varve.server.config.ConfigException;
import dev.varve.server.http.ErrorFormat;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.http.Router;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code /-/healthy}, {@code /-/ready}, {@code /-/reload} and {@code /metrics}, which never wait
 * for other work.
 */
public final class Operations {
  /** Name of these paths in the list of a listener's dialects. */
  public static final String NAME = "operations";

  private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
  private final ServerMetrics metrics;
  private final Supplier<@Nullable Engine> engine;
  private final BooleanSupplier draining;
  private final Runnable reload;

  /**
   * Creates the routes.
   *
   * @param engine supplies null until the stores are open
   * @param reload reloads the files that can be reloaded; throws ConfigException if they are
   *     invalid
   */
  public Operations(
      ServerMetrics metrics,
      Supplier<@Nullable Engine> engine,
      BooleanSupplier draining,
      Runnable reload) {
    this.metrics = metrics;
    this.engine = engine;
    this.draining = draining;
    this.reload = reload;
    metrics
        .registry()
        .register(
            new EngineFigures(() -> {
              Engine open = engine.get();
              return open == null ? Map.of() : open.figures();
            }));
  }

  public Router.Mount mount() {
    return new Router.Mount(
        NAME,
        false,
        false,
        List.of(
            Route.get("/-/healthy", Load.OPERATIONS, Right.OPEN, this::healthy),
            Route.get("/-/ready", Load.OPERATIONS, Right.OPEN, this::ready),
            Route.get("/metrics", Load.OPERATIONS, Right.READ, this::metrics).ofServer(),
            Route.post("/-/reload", Load.OPERATIONS, Right.ADMIN, this::reload).ofServer()),
        ErrorFormat.PLAIN);
  }

  private void healthy(Exchange exchange) throws IOException {
    exchange.answer(200, "text/plain; charset=utf-8", "healthy\n");
  }

  /** Checks all datasets, or the one named by the parameter {@code dataset}. */
  private void ready(Exchange exchange) throws IOException {
    String reason = unreadiness(exchange.parameter("dataset"));
    exchange.answer(
        reason == null ? 200 : 503,
        "text/plain; charset=utf-8",
        (reason == null ? "ready" : reason) + "\n");
  }

  private @Nullable String unreadiness(@Nullable String dataset) {
    if (draining.getAsBoolean()) {
      return "stopping";
    }
    Engine open = engine.get();
    if (open == null) {
      return "stores are being opened";
    }
    List<String> reasons = new ArrayList<>();
    for (Dataset asked : dataset == null ? open.datasets() : List.of(named(open, dataset))) {
      String obstacle = asked.writeObstacle();
      if (obstacle != null) {
        reasons.add("dataset '%s' takes no writes: %s".formatted(asked.name(), obstacle));
      }
    }
    return reasons.isEmpty() ? null : String.join("\n", reasons);
  }

  private static Dataset named(Engine engine, String name) {
    try {
      return engine.dataset(name);
    } catch (UnknownDatasetException e) {
      // The engine's message lists all datasets, and this path needs no login.
      throw new HttpError(404, "there is no dataset '%s'".formatted(name));
    }
  }

  private void reload(Exchange exchange) throws IOException {
    try {
      reload.run();
    } catch (ConfigException e) {
      throw new HttpError(500, "failed to reload: " + e.getMessage());
    }
    exchange.answer(200, "text/plain; charset=utf-8", "reloaded\n");
  }

  private void metrics(Exchange exchange) throws IOException {
    try (OutputStream out = exchange.answer(PrometheusTextFormatWriter.CONTENT_TYPE)) {
      writer.write(out, metrics.scrape(), EscapingScheme.UNDERSCORE_ESCAPING);
    }
  }
}

package dev.varve.matrix;

import static org.awaitility.Awaitility.await;

import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.SideDatasets;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.server.Server;
import dev.varve.server.ServerConfig;
import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.http.HttpLimits;
import dev.varve.server.queries.QueryOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A Varve server in this process, on a free port, for one dataset with a complete catalog, and its
 * roll-ups.
 */
public record VarveServer(Engine engine, Server server) implements AutoCloseable {
  /**
   * Starts a server.
   *
   * @param directory Varve's own data directory
   */
  public static VarveServer start(Path directory, DatasetConfig dataset) {
    List<DatasetConfig> datasets = new ArrayList<>(List.of(dataset));
    datasets.addAll(SideDatasets.of(dataset));
    Engine engine =
        Engine.open(new EngineConfig(directory, RunningStore.MEMORY, datasets, dataset.name()));
    ServerConfig config =
        new ServerConfig(
            List.of(new Listener("127.0.0.1", 0, Listener.DEFAULTS.dialects(), null)),
            HttpLimits.DEFAULTS,
            QueryOptions.DEFAULTS,
            null,
            "takeover");
    try {
      VarveServer started = new VarveServer(engine, Server.start(config, engine));
      await().atMost(Duration.ofSeconds(60)).until(started.dataset()::isCatalogComplete);
      return started;
    } catch (IOException e) {
      engine.close();
      throw new UncheckedIOException(e);
    }
  }

  public Dataset dataset() {
    return engine.defaultDataset();
  }

  public URI address() {
    return URI.create("http://127.0.0.1:" + server.ports().getFirst());
  }

  @Override
  public void close() {
    server.close();
    engine.close();
  }
}

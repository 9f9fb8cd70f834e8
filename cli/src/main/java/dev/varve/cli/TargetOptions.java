package dev.varve.cli;

import dev.varve.cli.config.VarveConfig;
import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import java.nio.file.Files;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Options that name the dataset of a command: in a running server if there is one, otherwise in the
 * data directory itself.
 */
public final class TargetOptions {
  @Mixin private ConfigOptions config;

  @Option(
      names = "--dataset",
      paramLabel = "NAME",
      description = "The dataset (default: the configuration's).")
  private @Nullable String dataset;

  @Mixin private RemoteOptions remote;

  /** Finds the server, or opens an existing data directory. */
  public Target openExisting() {
    return open(false);
  }

  /** Finds the server, or opens the data directory and creates it if necessary. */
  public Target open() {
    return open(true);
  }

  private Target open(boolean makes) {
    ServerAddress named = remote.address();
    if (named != null) {
      return new ServerTarget(named, dataset);
    }
    VarveConfig read = config.read();
    if (!makes && !Files.isDirectory(read.engine().directory())) {
      throw new CommandFailedException(
          "there is no data directory '%s': 'varve serve', 'put' and 'import' make one, --data names another, --server a server"
              .formatted(read.engine().directory()));
    }
    Optional<ServerAddress> running = RunningServer.find(read.engine().directory());
    if (running.isPresent()) {
      return new ServerTarget(running.get(), dataset);
    }
    Engine engine = Engine.open(read.engine());
    try {
      Dataset chosen = dataset == null ? engine.defaultDataset() : engine.dataset(dataset);
      return new EngineTarget(engine, chosen);
    } catch (RuntimeException e) {
      engine.close();
      throw e;
    }
  }
}

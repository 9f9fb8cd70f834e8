package dev.varve.cli.target;

import dev.varve.cli.config.VarveConfig;
import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.WrongCallException;
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

  /** The action if there is no data directory. */
  public enum IfMissing {
    CREATE,
    FAIL
  }

  /** Finds the server, or opens an existing data directory. */
  public Target openExisting() {
    return open(dataset, IfMissing.FAIL);
  }

  /**
   * Finds the server, or opens an existing data directory, for a command that may name the dataset
   * without an option.
   *
   * @param named the dataset; null to follow {@code --dataset}
   */
  public Target openExisting(@Nullable String named) {
    if (named != null && dataset != null) {
      throw new WrongCallException(
          "the dataset is named twice: '%s' and --dataset '%s'".formatted(named, dataset));
    }
    return open(named == null ? dataset : named, IfMissing.FAIL);
  }

  /** Finds the server, or opens the data directory and creates it if necessary. */
  public Target open() {
    return open(dataset, IfMissing.CREATE);
  }

  /** Returns the place of the dataset: the address of a server, or the data directory. */
  public String place() {
    ServerAddress named = remote.address();
    return named != null
        ? named.toString()
        : config.read().engine().directory().toAbsolutePath().normalize().toString();
  }

  private Target open(@Nullable String of, IfMissing ifMissing) {
    ServerAddress named = remote.address();
    if (named != null) {
      return new ServerTarget(named, of);
    }
    return open(config.read(), of, ifMissing);
  }

  /** Returns a dataset of a server; null for its default. */
  public static Target open(ServerAddress server, @Nullable String dataset) {
    return new ServerTarget(server, dataset);
  }

  /**
   * Finds the server of a configuration, or opens its data directory.
   *
   * @param dataset null for the default
   */
  public static Target open(VarveConfig config, @Nullable String dataset, IfMissing ifMissing) {
    if (ifMissing == IfMissing.FAIL && !Files.isDirectory(config.engine().directory())) {
      throw new CommandFailedException(
          "there is no data directory '%s': 'varve serve', 'put' and 'import' make one, --data names another, --server a server"
              .formatted(config.engine().directory()));
    }
    Optional<ServerAddress> running = RunningServer.find(config.engine().directory());
    if (running.isPresent()) {
      return new ServerTarget(running.get(), dataset);
    }
    Engine engine = Engine.open(config.engine());
    try {
      Dataset chosen = dataset == null ? engine.defaultDataset() : engine.dataset(dataset);
      return new EngineTarget(engine, chosen);
    } catch (RuntimeException e) {
      engine.close();
      throw e;
    }
  }
}

package dev.varve.cli.bench;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Starts the stores that {@code varve bench store} measures. */
@FunctionalInterface
public interface StoreStarter {
  /** Starts none, as in the distribution. */
  StoreStarter NONE = (kind, directory) -> null;

  /**
   * Starts a store of a kind and returns once it is ready; null if this program starts none of that
   * kind.
   *
   * @param directory where the store keeps its files; created if missing
   * @throws dev.varve.cli.io.CommandFailedException if the store does not start
   */
  @Nullable StartedStore start(String kind, Path directory);
}

package dev.varve.matrix;

import dev.varve.engine.FaultStory;
import dev.varve.engine.PassingTime;
import dev.varve.store.Store;
import java.nio.file.Path;
import java.util.List;

/**
 * Tests a dataset on a real store while calls between engine and store are delayed, throttled, lost
 * and answered in part, as the engine's {@code FaultsTest} does with the store in memory. Here late
 * writes have the effect that the real store gives them.
 *
 * <p>{@code -Dvarve.faults.store.operations=2000} sets the length of each story, {@code
 * -Dvarve.faults.store.layouts=heroic,entity} the layouts.
 */
final class FaultsOnStore {
  private static final long SEED = Long.getLong("varve.faults.seed", 3);

  /** A real store takes about a hundred times as long as the one in memory. */
  private static final int OPERATIONS = Integer.getInteger("varve.faults.store.operations", 100);

  /** One layout of each form of rows, with and without index tables, and one with a companion. */
  private static final String LAYOUTS =
      System.getProperty(
          "varve.faults.store.layouts", "heroic,kairosdb,opentsdb,buckets,companion");

  private final Store store;
  private final Path directory;
  private final String layout;

  FaultsOnStore(Store store, Path directory, String layout) {
    this.store = store;
    this.directory = directory.resolve("faults-" + layout);
    this.layout = layout;
  }

  static List<String> layouts() {
    return List.of(LAYOUTS.split(",", -1));
  }

  void check() {
    try (FaultStory story =
        new FaultStory(layout, "f-" + layout, SEED, store, directory, PassingTime.ofSystem())) {
      story.run(OPERATIONS);
      story.end();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(
          "seed %d, layout %s, store %s: %s".formatted(SEED, layout, store.kind(), e.getMessage()),
          e);
    }
  }
}

package dev.varve.cli.config;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.server.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fuzzes the configuration. An accepted one keeps its promises; a refused one has problems with
 * names.
 */
public final class VarveConfigFuzz {
  private static @Nullable Path file;

  private VarveConfigFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    Path known = file;
    if (known == null) {
      known = Files.createTempFile("varve-fuzz", ".yaml");
      known.toFile().deleteOnExit();
      file = known;
    }
    Files.write(known, input);
    try {
      ensureSound(VarveConfig.read(known, Map.of(), Map.of()));
    } catch (ConfigException e) {
      if (e.problems().isEmpty() || e.problems().contains("")) {
        throw new AssertionError("refused without a reason", e);
      }
    }
  }

  private static void ensureSound(VarveConfig config) {
    String standard = config.engine().defaultDataset();
    if (config.listeners().isEmpty()
        || config.engine().memory() < 0
        || config.http().body() < 0
        || config.http().decodedBody() < 0
        || config.engine().datasets().stream().noneMatch(each -> each.name().equals(standard))) {
      throw new AssertionError("taken: " + config);
    }
    for (DatasetConfig dataset : config.engine().datasets()) {
      if (dataset.periods().stream().anyMatch(period -> period.layouts().isEmpty())) {
        throw new AssertionError("taken: " + dataset);
      }
    }
  }
}

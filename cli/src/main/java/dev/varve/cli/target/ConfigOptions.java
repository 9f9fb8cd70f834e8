package dev.varve.cli.target;

import dev.varve.cli.config.VarveConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name the configuration of a command. */
public final class ConfigOptions {
  private static final Path DEFAULT_FILE = Path.of("varve.yaml");

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The configuration (default: $VARVE_CONFIG, or varve.yaml where there is one).")
  private @Nullable Path file;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "The data directory (default: varve-data).")
  private @Nullable Path data;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Sets a key of the configuration, such as memory=1GB. May come several times.")
  private Map<String, String> settings = new LinkedHashMap<>();

  /** Returns the file to read; null for the defaults. */
  public @Nullable Path file() {
    if (file != null) {
      return file;
    }
    String named = System.getenv("VARVE_CONFIG");
    if (named != null) {
      return Path.of(named);
    }
    return Files.exists(DEFAULT_FILE) ? DEFAULT_FILE : null;
  }

  public Map<String, String> settings() {
    Map<String, String> all = new LinkedHashMap<>(settings);
    if (data != null) {
      all.put("data", data.toString());
    }
    return all;
  }

  public VarveConfig read() {
    return VarveConfig.read(file(), System.getenv(), settings());
  }
}

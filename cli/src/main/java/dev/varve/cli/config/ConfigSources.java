package dev.varve.cli.config;

import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ConfigNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The sources of a configuration: its file, variables of the environment, and settings. */
final class ConfigSources {
  private static final String PREFIX = "VARVE_";

  /** Variables of the launcher or the program that are not configuration keys. */
  private static final Set<String> OTHER_VARIABLES =
      Set.of(
          "VARVE_AOT",
          "VARVE_BUILD",
          "VARVE_JAVA_HOME",
          "VARVE_JAVA_OPTS",
          "VARVE_HEAP",
          "VARVE_TRACE",
          "VARVE_LOG",
          "VARVE_JAVA17_HOME",
          "VARVE_CONFIG");

  private ConfigSources() {}

  /**
   * Merges the sources into one tree of keys. Variables override the file, and settings override
   * both.
   *
   * @param file null for an empty one
   * @param environment variables, of which those that begin with {@code VARVE_} are keys
   * @param settings values by {@code section.key}
   * @throws ConfigException if the file cannot be read or is not a mapping
   */
  static ConfigNode.Mapping merged(
      @Nullable Path file, Map<String, String> environment, Map<String, String> settings) {
    ConfigNode.Mapping root =
        file == null ? ConfigNode.Mapping.empty("the defaults") : parseFile(file);
    for (Map.Entry<String, String> variable : new TreeMap<>(environment).entrySet()) {
      String name = variable.getKey();
      if (name.startsWith(PREFIX) && !OTHER_VARIABLES.contains(name)) {
        String keys = name.substring(PREFIX.length()).toLowerCase(Locale.ROOT);
        List<String> path = List.of(keys.replace("__", "-").split("_"));
        root = ConfigNode.with(root, path, value(variable.getValue(), name), true);
      }
    }
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      List<String> path = List.of(setting.getKey().split("\\."));
      root =
          ConfigNode.with(
              root,
              path,
              ConfigNode.parse(setting.getValue(), "--set " + setting.getKey(), false),
              false);
    }
    return root;
  }

  /**
   * Parses a list, a mapping or a quoted string. Any other text is taken literally, since it may be
   * a password.
   */
  private static ConfigNode value(String text, String variable) {
    String where = "environment " + variable;
    boolean yaml = !text.isEmpty() && "[{\"'".indexOf(text.charAt(0)) >= 0;
    return yaml ? ConfigNode.parse(text, where, false) : new ConfigNode.Scalar(text, where);
  }

  private static ConfigNode.Mapping parseFile(Path file) {
    try {
      ConfigNode node =
          ConfigNode.parse(Files.readString(file), file.getFileName().toString(), true);
      if (node instanceof ConfigNode.Mapping mapping) {
        return mapping;
      }
      throw new ConfigException(
          List.of(node.where() + ": a configuration is a mapping of keys and values"));
    } catch (NoSuchFileException e) {
      throw new ConfigException(List.of("there is no file '" + file + "'"));
    } catch (IOException e) {
      throw new ConfigException(List.of("cannot read '" + file + "': " + e.getMessage()));
    }
  }
}

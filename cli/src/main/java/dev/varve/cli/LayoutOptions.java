package dev.varve.cli;

import dev.varve.layout.Layout;
import dev.varve.layout.Layouts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Which layout a command works with. */
public final class LayoutOptions {
  @Option(
      names = "--layout",
      required = true,
      paramLabel = "NAME|YAML",
      description =
          "A layout by its name ('varve layouts' lists them), or a file with a declared one.")
  private String layout;

  @Option(
      names = "--param",
      paramLabel = "NAME=VALUE",
      description =
          "A parameter of the layout, such as unit=legacy for kairosdb. May come several times.")
  private Map<String, String> parameters = new LinkedHashMap<>();

  public Layout layout() {
    return Layouts.of(looksLikeFile(layout) ? read(Path.of(layout)) : layout, parameters);
  }

  private static boolean looksLikeFile(String name) {
    return name.endsWith(".yaml") || name.endsWith(".yml") || name.contains("/");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

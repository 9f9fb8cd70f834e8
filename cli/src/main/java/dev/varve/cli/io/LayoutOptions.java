package dev.varve.cli.io;

import dev.varve.layout.Layout;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.registry.Layouts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name the layout of a command. */
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

  /**
   * Returns the layout of blocks; null if another layout is named.
   *
   * @throws CommandFailedException if it lacks a given parameter
   */
  public @Nullable BlockLayout blocks() {
    try {
      return layout.equals(BlockLayout.NAME) ? BlockLayout.of(parameters) : null;
    } catch (IllegalArgumentException e) {
      throw new CommandFailedException(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Returns the named layouts of cells, the primary first and its companions after it.
   *
   * @throws CommandFailedException if there is no such layout, or it lacks a given parameter
   */
  public List<Layout> layouts() {
    try {
      return Layouts.all(looksLikeFile(layout) ? read(Path.of(layout)) : layout, parameters);
    } catch (IllegalArgumentException e) {
      throw new CommandFailedException(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Returns the layouts of a name or a declaration: {@code blocks}, or layouts of cells.
   *
   * @throws CommandFailedException if there is no such layout, or it lacks a given parameter
   */
  public static List<StorageLayout> stored(String nameOrYaml, Map<String, String> parameters) {
    try {
      return Layouts.stored(nameOrYaml, parameters);
    } catch (IllegalArgumentException e) {
      throw new CommandFailedException(String.valueOf(e.getMessage()));
    }
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

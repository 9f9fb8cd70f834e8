package dev.varve.cli.io;

import dev.varve.layout.Layout;
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
    return layout.equals(BlockLayout.NAME) ? blocks(parameters) : null;
  }

  public static BlockLayout blocks(Map<String, String> parameters) {
    try {
      return BlockLayout.of(parameters);
    } catch (IllegalArgumentException e) {
      throw new CommandFailedException(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Returns the named layouts, the primary first and its companions after it.
   *
   * @throws CommandFailedException as {@link #all}
   */
  public List<Layout> layouts() {
    return all(looksLikeFile(layout) ? read(Path.of(layout)) : layout, parameters);
  }

  /**
   * Returns the layouts of a name or a declaration.
   *
   * @throws CommandFailedException if there is no such layout, or it lacks a given parameter
   */
  public static List<Layout> all(String nameOrYaml, Map<String, String> parameters) {
    try {
      return Layouts.all(nameOrYaml, parameters);
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

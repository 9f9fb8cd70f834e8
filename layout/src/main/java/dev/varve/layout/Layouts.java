package dev.varve.layout;

import dev.varve.layout.declared.Declaration;
import dev.varve.layout.declared.DeclarationReader;
import dev.varve.layout.declared.DeclaredLayout;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Finds layouts: the known ones and the ready-made ones by name, every other by its declaration in
 * YAML.
 */
public final class Layouts {
  /** The layout of datasets that name none. */
  public static final String DEFAULT = "buckets";

  private static final List<String> READY_MADE = List.of("buckets");

  private Layouts() {}

  /**
   * A layout that is known by name.
   *
   * @param about what it is, in one line
   */
  public record Entry(String name, String about, List<LayoutParameter> parameters) {
    public Entry {
      parameters = List.copyOf(parameters);
    }
  }

  /** All layouts that are known by name. */
  public static List<Entry> list() {
    List<Entry> entries = new ArrayList<>();
    for (String name : READY_MADE) {
      DeclarationReader.Head head = DeclarationReader.head(yaml(name));
      entries.add(new Entry(name, head.about(), head.parameters()));
    }
    return entries;
  }

  /**
   * Makes a layout.
   *
   * @param nameOrYaml the name of one in {@link #list()}, or the text of a declaration
   * @param parameters by name; what is not given has its default
   * @throws IllegalArgumentException if there is none of that name, or with all that is wrong with
   *     the declaration or the parameters
   */
  public static Layout of(String nameOrYaml, Map<String, String> parameters) {
    String text = isName(nameOrYaml) ? yaml(nameOrYaml) : nameOrYaml;
    Declaration declaration = DeclarationReader.read(text, parameters);
    return new DeclaredLayout(declaration);
  }

  private static boolean isName(String nameOrYaml) {
    return nameOrYaml.indexOf(':') < 0 && nameOrYaml.indexOf('\n') < 0;
  }

  /** The declaration of a ready-made layout. */
  public static String yaml(String name) {
    if (!READY_MADE.contains(name)) {
      throw new IllegalArgumentException(
          "there is no layout '%s'; known are %s, or give its YAML"
              .formatted(name, String.join(", ", READY_MADE)));
    }
    try (InputStream resource = Layouts.class.getResourceAsStream("ready/" + name + ".yaml")) {
      if (resource == null) {
        throw new IllegalStateException("layout " + name + " is missing from the jar");
      }
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("layout " + name + " cannot be read", e);
    }
  }
}

package dev.varve.layout.declared;

import dev.varve.layout.Layout;
import dev.varve.layout.LayoutParameter;
import dev.varve.layout.RefusedException;
import dev.varve.layout.declared.DeclarationReader.Head;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads declarations of companion layouts, which hold the same series. The first one is the
 * primary.
 *
 * <pre>
 * companion: games
 * about: one line
 * parameters: {tag: {default: player, about: ...}}
 * layouts:
 *   - use: promoted                      # one that is known by name
 *     parameters: {tag: "${tag}"}
 *   - declare: {layout: ..., key: ...}   # or one that is declared in place
 * </pre>
 */
public final class CompanionReader {
  private static final List<String> SECTIONS =
      List.of("companion", "about", "parameters", "layouts");

  private final YamlReading yaml = new YamlReading();
  private final Library library;

  private CompanionReader(Library library) {
    this.library = library;
  }

  /** Finds layouts by name. */
  @FunctionalInterface
  public interface Library {
    /**
     * Creates a layout.
     *
     * @throws IllegalArgumentException if there is no such layout
     * @throws RefusedException if the layout rejects the parameters
     */
    Layout find(String name, Map<String, String> parameters);
  }

  /** Returns whether a text declares companions rather than a single layout. */
  public static boolean isCompanion(String text) {
    return text.lines().anyMatch(line -> line.startsWith("companion:"));
  }

  /**
   * Reads at least two layouts.
   *
   * @throws DeclarationException listing all faults
   */
  public static List<Layout> read(String text, Map<String, String> parameters, Library library) {
    return new CompanionReader(library).layouts(text, parameters);
  }

  /**
   * Reads a declaration's name, summary and parameters.
   *
   * @throws DeclarationException if the text is not YAML or cannot be read that far
   */
  public static Head head(String text) {
    YamlReading yaml = new YamlReading();
    Map<String, Node> sections = yaml.mapping(yaml.root(text), SECTIONS);
    List<LayoutParameter> parameters = yaml.parameters(sections.get("parameters"));
    String name = text(yaml, sections.get("companion"));
    Head head = new Head(name, text(yaml, sections.get("about")), parameters);
    yaml.check("companion " + name);
    return head;
  }

  private static String text(YamlReading yaml, @Nullable Node node) {
    return node == null ? "" : yaml.text(node);
  }

  private List<Layout> layouts(String text, Map<String, String> parameters) {
    MappingNode root = yaml.root(text);
    Map<String, Node> sections = yaml.mapping(root, SECTIONS);
    yaml.settle(yaml.parameters(sections.get("parameters")), parameters);
    String name = text(yaml, sections.get("companion"));
    List<Layout> layouts = new ArrayList<>();
    Node list = sections.get("layouts");
    if (list == null) {
      yaml.fault(root, "'layouts' is missing: name at least two");
    } else {
      for (Node item : yaml.sequence(list)) {
        Layout layout = layout(item);
        if (layout != null) {
          layouts.add(layout);
        }
      }
      yaml.check("companion " + name);
      agree(list, layouts);
    }
    yaml.check("companion " + name);
    return List.copyOf(layouts);
  }

  private @Nullable Layout layout(Node item) {
    Map<String, Node> entries = yaml.mapping(item, List.of("use", "parameters", "declare"));
    Node use = entries.get("use");
    Node declare = entries.get("declare");
    if ((use == null) == (declare == null)) {
      yaml.fault(item, "expected 'use: name' or 'declare: ...'");
      return null;
    }
    if (declare instanceof MappingNode declaration) {
      return declared(declaration);
    }
    if (declare != null) {
      yaml.fault(declare, "expected a mapping");
      return null;
    }
    Map<String, String> parameters = new HashMap<>();
    Node given = entries.get("parameters");
    if (given != null) {
      yaml.mapping(given).forEach((name, value) -> parameters.put(name, yaml.text(value)));
    }
    return used(use, parameters);
  }

  private @Nullable Layout used(@Nullable Node use, Map<String, String> parameters) {
    if (use == null) {
      return null;
    }
    try {
      return library.find(yaml.text(use), parameters);
    } catch (IllegalArgumentException | RefusedException e) {
      yaml.fault(use, String.valueOf(e.getMessage()));
      return null;
    }
  }

  private @Nullable Layout declared(MappingNode node) {
    DeclarationReader reader = new DeclarationReader(yaml);
    DeclarationBuilder builder = reader.declaration(reader.sections(node));
    return yaml.faults().isEmpty() ? new DeclaredLayout(reader.checked(builder.build())) : null;
  }

  /** Checks that companions hold the same samples, each in its own tables. */
  private void agree(Node list, List<Layout> layouts) {
    if (layouts.size() < 2) {
      yaml.fault(list, "expected at least two layouts");
      return;
    }
    Set<String> tables = new HashSet<>();
    for (Layout layout : layouts) {
      for (TableSpec table : layout.tables()) {
        if (!tables.add(table.name())) {
          yaml.fault(list, "two layouts write to table '%s'".formatted(table.name()));
        }
      }
      if (layout.resolution() != layouts.getFirst().resolution()) {
        yaml.fault(
            list,
            "times of %s are in %s, those of %s in %s"
                .formatted(
                    layouts.getFirst().identity().name(),
                    layouts.getFirst().resolution().symbol(),
                    layout.identity().name(),
                    layout.resolution().symbol()));
      }
    }
  }
}

package dev.varve.layout.declared;

import dev.varve.layout.LayoutParameter;
import dev.varve.model.Resolution;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * Reads a {@link Declaration} from YAML. docs/layouts/declared.md describes the language. Unknown
 * keys are faults, and all faults are reported at once. {@link KeyReader} reads the row key, {@link
 * FamilyReader} the families.
 */
public final class DeclarationReader {
  private static final List<String> SECTIONS =
      List.of(
          "layout",
          "about",
          "parameters",
          "resolution",
          "table",
          "retention",
          "key",
          "partition",
          "families",
          "attributes",
          "allow");

  private static final Map<String, Resolution> RESOLUTIONS =
      Map.of(
          "s", Resolution.SECONDS,
          "ms", Resolution.MILLISECONDS,
          "us", Resolution.MICROSECONDS,
          "ns", Resolution.NANOSECONDS);

  /** Parameters that every declaration accepts besides its own. */
  private static final LayoutParameter TABLE =
      new LayoutParameter("table", null, "the name of the table");

  private static final LayoutParameter RESOLUTION =
      new LayoutParameter("resolution", null, "the unit of sample times: s, ms, us or ns");

  private final YamlReading yaml;

  DeclarationReader(YamlReading yaml) {
    this.yaml = yaml;
  }

  /**
   * Reads a declaration.
   *
   * @param parameters values for the parameters that the text declares; {@code table} and {@code
   *     resolution} are always accepted
   * @throws DeclarationException listing all faults with line and column
   */
  public static Declaration read(String text, Map<String, String> parameters) {
    YamlReading yaml = new YamlReading();
    MappingNode root = yaml.root(text);
    DeclarationReader reader = new DeclarationReader(yaml);
    Map<String, Node> sections = reader.sections(root);
    Map<String, String> own = new HashMap<>(parameters);
    String table = own.remove(TABLE.name());
    String resolution = own.remove(RESOLUTION.name());
    yaml.settle(yaml.parameters(sections.get("parameters")), own);
    DeclarationBuilder builder = reader.declaration(sections);
    if (table != null) {
      builder.table(table);
    }
    if (resolution != null) {
      reader.resolution(resolution, builder);
    }
    return reader.checked(builder.build());
  }

  /**
   * Reads a declaration's name, summary and parameters.
   *
   * @throws DeclarationException if the text is not YAML or cannot be read that far
   */
  public static Head head(String text) {
    YamlReading yaml = new YamlReading();
    MappingNode root = yaml.root(text);
    DeclarationReader reader = new DeclarationReader(yaml);
    Map<String, Node> sections = reader.sections(root);
    List<LayoutParameter> parameters = new ArrayList<>(yaml.parameters(sections.get("parameters")));
    parameters.add(TABLE.withDefault(reader.text(sections, "layout")));
    parameters.add(
        RESOLUTION.withDefault(
            sections.containsKey("resolution") ? reader.text(sections, "resolution") : "ms"));
    Head head =
        new Head(reader.text(sections, "layout"), reader.text(sections, "about"), parameters);
    yaml.check("layout " + head.name());
    return head;
  }

  /** A layout's name, its one-line summary, and its parameters. */
  public record Head(String name, String about, List<LayoutParameter> parameters) {
    public Head {
      parameters = List.copyOf(parameters);
    }
  }

  private String text(Map<String, Node> sections, String key) {
    Node node = sections.get(key);
    return node == null ? "" : yaml.text(node);
  }

  Map<String, Node> sections(MappingNode root) {
    for (NodeTuple tuple : root.getValue()) {
      if (tuple.getKeyNode() instanceof ScalarNode key) {
        yaml.mark(key.getValue(), tuple.getValueNode());
      }
    }
    return yaml.mapping(root, SECTIONS);
  }

  /** Reads the sections. The caller must have settled the parameters. */
  DeclarationBuilder declaration(Map<String, Node> sections) {
    DeclarationBuilder builder = Declaration.named(text(sections, "layout"));
    FamilyReader families = new FamilyReader(yaml);
    YamlReading.ifGiven(sections, "about", node -> builder.about(yaml.text(node)));
    YamlReading.ifGiven(
        sections,
        "resolution",
        node -> yaml.choice(node, RESOLUTIONS).ifPresent(builder::resolution));
    YamlReading.ifGiven(sections, "table", node -> builder.table(yaml.text(node)));
    YamlReading.ifGiven(
        sections, "retention", node -> yaml.duration(node).ifPresent(builder::retention));
    YamlReading.ifGiven(sections, "key", node -> new KeyReader(yaml).read(node, builder));
    YamlReading.ifGiven(
        sections, "partition", node -> yaml.integer(node).ifPresent(builder::partition));
    YamlReading.ifGiven(sections, "families", node -> families.read(node, builder));
    YamlReading.ifGiven(sections, "attributes", node -> families.attributes(node, builder));
    YamlReading.ifGiven(
        sections, "allow", node -> builder.allow(yaml.texts(node).toArray(String[]::new)));
    return builder;
  }

  private void resolution(String given, DeclarationBuilder builder) {
    Resolution resolution = RESOLUTIONS.get(given);
    if (resolution == null) {
      yaml.faults()
          .add(
              new Fault(
                  "", "parameter 'resolution': '%s' is not one of s, ms, us, ns".formatted(given)));
    } else {
      builder.resolution(resolution);
    }
  }

  /**
   * Checks the rules only if everything could be read, because half a key would break rules of its
   * own.
   */
  Declaration checked(Declaration declaration) {
    if (yaml.faults().isEmpty()) {
      for (Fault fault : DeclarationRules.check(declaration)) {
        yaml.faults().add(new Fault(yaml.placeOf(fault.path()), fault.message(), fault.rule()));
      }
    }
    yaml.check("layout " + declaration.name());
    return declaration;
  }
}

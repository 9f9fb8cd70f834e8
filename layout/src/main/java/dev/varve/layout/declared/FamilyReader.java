package dev.varve.layout.declared;

import dev.varve.layout.declared.DeclarationBuilder.FamilyBuilder;
import dev.varve.layout.declared.FamilyDeclaration.ValueForm;
import dev.varve.store.FamilySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Reads the sections {@code families} and {@code attributes}. */
final class FamilyReader {
  private static final List<String> QUALIFIER_PARTS =
      List.of("field", "offset", "sequence", "fixed", "value");

  private static final Map<String, ValueForm> VALUE_FORMS =
      Map.of("one", ValueForm.ONE, "all", ValueForm.ALL, "empty", ValueForm.EMPTY);

  private static final Map<String, CellTime> CELL_TIMES =
      Map.of(
          "server", new CellTime.Server(),
          "event", new CellTime.Event(),
          "shifted", new CellTime.Shifted(CellTime.FIFTY_THOUSAND_YEARS_MILLIS));

  private final YamlReading yaml;
  private final PartReader parts;

  FamilyReader(YamlReading yaml) {
    this.yaml = yaml;
    this.parts = new PartReader(yaml);
  }

  /** Reads the section {@code families}. */
  void read(Node node, DeclarationBuilder builder) {
    yaml.mapping(node)
        .forEach((name, body) -> {
          yaml.mark("families." + name, body);
          builder.family(name, family -> family(name, body, family));
        });
  }

  /** Reads the section {@code attributes}. */
  void attributes(Node node, DeclarationBuilder builder) {
    Map<String, Node> entries = yaml.mapping(node, List.of("family", "time", "versions"));
    entries.forEach((key, value) -> yaml.mark("attributes." + key, value));
    Node family = entries.get("family");
    if (family == null) {
      yaml.fault(node, "attributes need a family of their own: 'family: m'");
      return;
    }
    Node timeNode = entries.get("time");
    CellTime time = timeNode == null ? new CellTime.Server() : cellTime(timeNode);
    Node versionsNode = entries.get("versions");
    int versions = versionsNode == null ? 1 : versions(versionsNode).orElse(1);
    if (time != null) {
      builder.attributes(new AttributesDeclaration(yaml.text(family), time, versions));
    }
  }

  private FamilyBuilder family(String name, Node body, FamilyBuilder family) {
    Map<String, Node> entries =
        yaml.mapping(body, List.of("fields", "qualifier", "time", "value", "versions"));
    entries.forEach((key, node) -> yaml.mark("families." + name + "." + key, node));
    YamlReading.ifGiven(
        entries, "fields", node -> family.fields(yaml.texts(node).toArray(String[]::new)));
    YamlReading.ifGiven(entries, "qualifier", node -> family.qualifier(qualifier(node)));
    YamlReading.ifGiven(
        entries,
        "time",
        node -> {
          CellTime time = cellTime(node);
          if (time != null) {
            family.time(time);
          }
        });
    YamlReading.ifGiven(
        entries, "value", node -> yaml.choice(node, VALUE_FORMS).ifPresent(family::value));
    YamlReading.ifGiven(entries, "versions", node -> versions(node).ifPresent(family::versions));
    return family;
  }

  private Optional<Integer> versions(Node node) {
    return yaml.text(node).equals("all")
        ? Optional.of(FamilySpec.ALL_VERSIONS)
        : yaml.integer(node);
  }

  private QualifierElement[] qualifier(Node node) {
    List<QualifierElement> elements = new ArrayList<>();
    for (Node item : yaml.sequence(node)) {
      parts.part(
          item,
          QUALIFIER_PARTS,
          (kind, body) -> {
            QualifierElement element = qualifierElement(kind, item, body);
            if (element != null) {
              elements.add(element);
            }
          });
    }
    return elements.toArray(QualifierElement[]::new);
  }

  private @Nullable QualifierElement qualifierElement(String kind, Node item, @Nullable Node body) {
    return switch (kind) {
      case "field" -> new QualifierElement.Field();
      case "offset" -> {
        Map<String, Node> entries = parts.body(body, "bytes", "unit");
        Node bytes = entries.get("bytes");
        Node unit = entries.get("unit");
        yield new QualifierElement.Offset(
            bytes == null ? 0 : yaml.integer(bytes).orElse(0),
            unit == null ? null : yaml.duration(unit).orElse(null));
      }
      case "sequence" -> new QualifierElement.Sequence();
      case "fixed" -> {
        String text =
            parts.text(item, parts.body(body, "text"), "text", "a fixed part needs a text");
        yield text == null ? null : new QualifierElement.Fixed(text);
      }
      case "value" -> new QualifierElement.Value();
      default -> throw new IllegalStateException("a kind of part without a reader: " + kind);
    };
  }

  private @Nullable CellTime cellTime(Node node) {
    if (node instanceof ScalarNode) {
      return yaml.choice(node, CELL_TIMES).orElse(null);
    }
    Node millis = yaml.mapping(node, List.of("shifted")).get("shifted");
    return millis == null ? null : yaml.number(millis).map(CellTime.Shifted::new).orElse(null);
  }
}

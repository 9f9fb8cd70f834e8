package dev.varve.layout.declared;

import dev.varve.layout.LayoutParameter;
import dev.varve.layout.declared.BucketWidth.CalendarUnit;
import dev.varve.layout.declared.DeclarationBuilder.FamilyBuilder;
import dev.varve.layout.declared.FamilyDeclaration.ValueForm;
import dev.varve.model.Resolution;
import dev.varve.store.FamilySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * Reads a {@link Declaration} from YAML. docs/layouts/declared.md describes the language. Unknown
 * keys are faults, and all faults are reported at once.
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

  private static final List<String> KEY_PARTS =
      List.of(
          "metric",
          "tag",
          "tags",
          "resource",
          "literal",
          "bucket",
          "time",
          "sequence",
          "salt",
          "hash");

  private static final List<String> QUALIFIER_PARTS =
      List.of("field", "offset", "sequence", "fixed", "value");

  private static final Map<String, CalendarUnit> CALENDAR =
      Map.of(
          "day", CalendarUnit.DAY,
          "week", CalendarUnit.WEEK,
          "month", CalendarUnit.MONTH,
          "year", CalendarUnit.YEAR);

  private static final Map<String, Resolution> RESOLUTIONS =
      Map.of(
          "s", Resolution.SECONDS,
          "ms", Resolution.MILLISECONDS,
          "us", Resolution.MICROSECONDS,
          "ns", Resolution.NANOSECONDS);

  private static final Map<String, KeyElement.Label> LABELS =
      Map.of(
          "start", KeyElement.Label.START,
          "text", KeyElement.Label.TEXT,
          "number", KeyElement.Label.NUMBER);

  private static final Map<String, ValueForm> VALUE_FORMS =
      Map.of("one", ValueForm.ONE, "all", ValueForm.ALL, "empty", ValueForm.EMPTY);

  private static final Map<String, CellTime> CELL_TIMES =
      Map.of(
          "server", new CellTime.Server(),
          "event", new CellTime.Event(),
          "shifted", new CellTime.Shifted(CellTime.FIFTY_THOUSAND_YEARS_MILLIS));

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
    with(sections, "about", node -> builder.about(yaml.text(node)));
    with(
        sections,
        "resolution",
        node -> yaml.choice(node, RESOLUTIONS).ifPresent(builder::resolution));
    with(sections, "table", node -> builder.table(yaml.text(node)));
    with(sections, "retention", node -> length(node).ifPresent(builder::retention));
    with(sections, "key", node -> key(node, builder));
    with(sections, "partition", node -> yaml.integer(node).ifPresent(builder::partition));
    with(sections, "families", node -> families(node, builder));
    with(sections, "attributes", node -> attributes(node, builder));
    with(sections, "allow", node -> builder.allow(yaml.texts(node).toArray(String[]::new)));
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

  private static void with(Map<String, Node> map, String key, Consumer<Node> action) {
    Node node = map.get(key);
    if (node != null) {
      action.accept(node);
    }
  }

  private Optional<Duration> length(Node node) {
    String text = yaml.text(node);
    Optional<Duration> length = TimeText.parse(text);
    if (length.isEmpty()) {
      yaml.fault(node, "'%s' is not a duration (try 15m, 1h or 30d)".formatted(text));
    }
    return length;
  }

  private void key(Node node, DeclarationBuilder builder) {
    int index = 0;
    for (Node item : yaml.sequence(node)) {
      yaml.mark("key[" + index++ + "]", item);
      part(
          item,
          KEY_PARTS,
          (kind, body) -> {
            KeyElement element = keyElement(kind, item, body);
            if (element != null) {
              builder.key(element);
            }
          });
    }
  }

  private interface PartReader {
    void read(String kind, @Nullable Node body);
  }

  /** Reads a part of a key or qualifier: a word, or a word with a body. */
  private void part(Node item, List<String> kinds, PartReader reader) {
    if (item instanceof ScalarNode) {
      Map<String, String> words = new HashMap<>();
      kinds.forEach(kind -> words.put(kind, kind));
      yaml.choice(item, words).ifPresent(kind -> reader.read(kind, null));
      return;
    }
    Map<String, Node> entries = yaml.mapping(item, kinds);
    if (entries.size() > 1) {
      yaml.fault(item, "expected one part per item: start each with '- '");
    }
    entries.forEach(reader::read);
  }

  private Map<String, Node> body(@Nullable Node body, String shorthand, String... more) {
    List<String> known = new ArrayList<>(List.of(more));
    known.addFirst(shorthand);
    return body == null ? Map.of() : yaml.mapping(body, shorthand, known);
  }

  private @Nullable KeyElement keyElement(String kind, Node item, @Nullable Node body) {
    return switch (kind) {
      case "metric" -> new KeyElement.Metric(form(body(body, "transform", "width", "digits")));
      case "tag" -> {
        Map<String, Node> entries = body(body, "name", "width", "transform", "digits");
        String name = required(item, entries, "name", "a tag needs a name: 'tag: host'");
        yield name == null ? null : new KeyElement.Tag(name, form(entries));
      }
      case "tags" -> new KeyElement.AllTags();
      case "resource" -> {
        Map<String, Node> entries = body(body, "name", "width", "transform", "digits");
        Node name = entries.get("name");
        yield name == null
            ? new KeyElement.AllResource()
            : new KeyElement.Resource(yaml.text(name), form(entries));
      }
      case "literal" -> {
        String text = required(item, body(body, "text"), "text", "a literal needs a text");
        yield text == null ? null : new KeyElement.Literal(text);
      }
      case "bucket" -> bucket(item, body(body, "width", "label", "order"));
      case "time" -> new KeyElement.Time(descending(body(body, "order")));
      case "sequence" -> new KeyElement.Sequence();
      case "salt" -> {
        Map<String, Node> entries = body(body, "buckets", "of");
        Optional<Integer> buckets = integer(item, entries, "buckets", "a salt needs a count");
        yield buckets.isEmpty() ? null : new KeyElement.Salt(buckets.get(), of(entries));
      }
      case "hash" -> {
        Map<String, Node> entries = body(body, "bytes", "of");
        Optional<Integer> bytes = integer(item, entries, "bytes", "a hash needs a width");
        yield bytes.isEmpty() ? null : new KeyElement.Hash(bytes.get(), of(entries));
      }
      default -> throw new IllegalStateException("a kind of part without a reader: " + kind);
    };
  }

  private @Nullable String required(
      Node item, Map<String, Node> entries, String key, String message) {
    Node node = entries.get(key);
    if (node == null) {
      yaml.fault(item, message);
      return null;
    }
    return yaml.text(node);
  }

  private Optional<Integer> integer(
      Node item, Map<String, Node> entries, String key, String message) {
    Node node = entries.get(key);
    if (node == null) {
      yaml.fault(item, message);
      return Optional.empty();
    }
    return yaml.integer(node);
  }

  private List<String> of(Map<String, Node> entries) {
    Node node = entries.get("of");
    return node == null ? List.of() : yaml.texts(node);
  }

  private boolean descending(Map<String, Node> entries) {
    Node node = entries.get("order");
    return node != null
        && yaml.choice(node, Map.of("ascending", false, "descending", true)).orElse(false);
  }

  private TextForm form(Map<String, Node> entries) {
    Node widthNode = entries.get("width");
    int width = widthNode == null ? 0 : yaml.integer(widthNode).orElse(0);
    if (widthNode != null && width == 0) {
      yaml.fault(widthNode, "a fixed width is at least 1; leave it out for texts of any length");
    }
    Node transformNode = entries.get("transform");
    Node digits = entries.get("digits");
    TextTransform transform = TextTransform.none();
    if (transformNode != null) {
      Map<String, TextTransform> words =
          Map.of(
              "none", TextTransform.none(),
              "reverse-domain", new TextTransform.ReverseDomain(),
              "reverse", new TextTransform.Reverse(),
              "zero-pad", new TextTransform.ZeroPad(digits(transformNode, digits)));
      transform = yaml.choice(transformNode, words).orElse(TextTransform.none());
    }
    if (digits != null && !(transform instanceof TextTransform.ZeroPad)) {
      yaml.fault(digits, "'digits' is only valid with 'transform: zero-pad'");
    }
    return new TextForm(width, transform);
  }

  private int digits(Node transform, @Nullable Node digits) {
    if (digits == null && yaml.text(transform).equals("zero-pad")) {
      yaml.fault(transform, "zero-pad needs 'digits'");
    }
    return digits == null ? 1 : yaml.integer(digits).orElse(1);
  }

  private @Nullable KeyElement bucket(Node item, Map<String, Node> entries) {
    Node widthNode = entries.get("width");
    if (widthNode == null) {
      yaml.fault(item, "a bucket needs a width: 'bucket: 1d' or 'bucket: month'");
      return null;
    }
    Node labelNode = entries.get("label");
    KeyElement.Label label =
        labelNode == null
            ? KeyElement.Label.START
            : yaml.choice(labelNode, LABELS).orElse(KeyElement.Label.START);
    BucketWidth width = width(widthNode);
    return width == null ? null : new KeyElement.Bucket(width, label, descending(entries));
  }

  private @Nullable BucketWidth width(Node node) {
    String text = yaml.text(node);
    CalendarUnit calendar = CALENDAR.get(text);
    if (calendar != null) {
      return new BucketWidth.Calendar(calendar);
    }
    Optional<Duration> length = TimeText.parse(text);
    if (length.isEmpty()) {
      yaml.fault(
          node, "'%s' is not a width (try 1h, 1d, day, week, month or year)".formatted(text));
      return null;
    }
    return new BucketWidth.Fixed(length.get());
  }

  private void families(Node node, DeclarationBuilder builder) {
    yaml.mapping(node)
        .forEach((name, body) -> {
          yaml.mark("families." + name, body);
          builder.family(name, family -> family(name, body, family));
        });
  }

  private FamilyBuilder family(String name, Node body, FamilyBuilder family) {
    Map<String, Node> entries =
        yaml.mapping(body, List.of("fields", "qualifier", "time", "value", "versions"));
    entries.forEach((key, node) -> yaml.mark("families." + name + "." + key, node));
    with(entries, "fields", node -> family.fields(yaml.texts(node).toArray(String[]::new)));
    with(entries, "qualifier", node -> family.qualifier(qualifier(node)));
    with(
        entries,
        "time",
        node -> {
          CellTime time = cellTime(node);
          if (time != null) {
            family.time(time);
          }
        });
    with(entries, "value", node -> yaml.choice(node, VALUE_FORMS).ifPresent(family::value));
    with(entries, "versions", node -> versions(node).ifPresent(family::versions));
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
      part(
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
        Map<String, Node> entries = body(body, "bytes", "unit");
        Node bytes = entries.get("bytes");
        Node unit = entries.get("unit");
        yield new QualifierElement.Offset(
            bytes == null ? 0 : yaml.integer(bytes).orElse(0),
            unit == null ? null : length(unit).orElse(null));
      }
      case "sequence" -> new QualifierElement.Sequence();
      case "fixed" -> {
        String text = required(item, body(body, "text"), "text", "a fixed part needs a text");
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

  private void attributes(Node node, DeclarationBuilder builder) {
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
}

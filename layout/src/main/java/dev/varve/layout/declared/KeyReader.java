package dev.varve.layout.declared;

import dev.varve.layout.declared.BucketWidth.CalendarUnit;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads the section {@code key}: the parts of the row key. */
final class KeyReader {
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

  private static final Map<String, CalendarUnit> CALENDAR =
      Map.of(
          "day", CalendarUnit.DAY,
          "week", CalendarUnit.WEEK,
          "month", CalendarUnit.MONTH,
          "year", CalendarUnit.YEAR);

  private static final Map<String, KeyElement.Label> LABELS =
      Map.of(
          "start", KeyElement.Label.START,
          "text", KeyElement.Label.TEXT,
          "number", KeyElement.Label.NUMBER);

  private final YamlReading yaml;
  private final PartReader parts;

  KeyReader(YamlReading yaml) {
    this.yaml = yaml;
    this.parts = new PartReader(yaml);
  }

  /** Adds the parts to a declaration, and marks the place of each. */
  void read(Node node, DeclarationBuilder builder) {
    int index = 0;
    for (Node item : yaml.sequence(node)) {
      yaml.mark("key[" + index++ + "]", item);
      parts.part(
          item,
          KEY_PARTS,
          (kind, body) -> {
            KeyElement element = element(kind, item, body);
            if (element != null) {
              builder.key(element);
            }
          });
    }
  }

  private @Nullable KeyElement element(String kind, Node item, @Nullable Node body) {
    return switch (kind) {
      case "metric" ->
          new KeyElement.Metric(form(parts.body(body, "transform", "width", "digits")));
      case "tag" -> {
        Map<String, Node> entries = parts.body(body, "name", "width", "transform", "digits");
        String name = parts.text(item, entries, "name", "a tag needs a name: 'tag: host'");
        yield name == null ? null : new KeyElement.Tag(name, form(entries));
      }
      case "tags" -> new KeyElement.AllTags();
      case "resource" -> {
        Map<String, Node> entries = parts.body(body, "name", "width", "transform", "digits");
        Node name = entries.get("name");
        yield name == null
            ? new KeyElement.AllResource()
            : new KeyElement.Resource(yaml.text(name), form(entries));
      }
      case "literal" -> {
        String text = parts.text(item, parts.body(body, "text"), "text", "a literal needs a text");
        yield text == null ? null : new KeyElement.Literal(text);
      }
      case "bucket" -> bucket(item, parts.body(body, "width", "label", "order"));
      case "time" -> new KeyElement.Time(descending(parts.body(body, "order")));
      case "sequence" -> new KeyElement.Sequence();
      case "salt" -> {
        Map<String, Node> entries = parts.body(body, "buckets", "of");
        Optional<Integer> buckets = parts.integer(item, entries, "buckets", "a salt needs a count");
        yield buckets.isEmpty() ? null : new KeyElement.Salt(buckets.get(), of(entries));
      }
      case "hash" -> {
        Map<String, Node> entries = parts.body(body, "bytes", "of");
        Optional<Integer> bytes = parts.integer(item, entries, "bytes", "a hash needs a width");
        yield bytes.isEmpty() ? null : new KeyElement.Hash(bytes.get(), of(entries));
      }
      default -> throw new IllegalStateException("a kind of part without a reader: " + kind);
    };
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
}

package dev.varve.layout.contract;

import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.layout.declared.Declaration;
import dev.varve.layout.declared.DeclaredLayout;
import dev.varve.layout.declared.FamilyDeclaration;
import dev.varve.layout.declared.FamilyDeclaration.ValueForm;
import dev.varve.layout.declared.KeyElement;
import dev.varve.layout.declared.QualifierElement;
import dev.varve.layout.declared.TextForm;
import dev.varve.layout.declared.TextTransform;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A declared layout. Keys, fields and the grid of times follow from its declaration, so that a
 * fixture is the declaration and its identity.
 */
final class DeclaredFixture implements LayoutFixture {
  /** The first byte of values of kinds to come, which packed values may hold. */
  private static final int RESERVED = 0x80;

  /** Of one to four bytes a character; "x" stands beside "x\u0001", which sorts after it. */
  private static final List<String> SHORT =
      List.of("x", "x\u0001", "", "a b", "ab", "é", "\ue000", "\ud83d\ude00");

  private final Declaration declaration;
  private final String identity;
  private final Layout layout;
  private final DomainPoints points;
  private final List<String> fields;

  /** The grid of times, in ticks. */
  private final long unit;

  private DeclaredFixture(Declaration declaration, String identity) {
    this.declaration = declaration;
    this.identity = identity;
    this.layout = layout();
    this.points = new DomainPoints(layout);
    this.fields = fieldsOf(declaration);
    this.unit = unitOf(declaration);
  }

  static DeclaredFixture readyMade(String name, String identity) {
    return companion(name, 0, identity);
  }

  static DeclaredFixture declared(String yaml, String identity) {
    return companion(yaml, 0, identity);
  }

  /** One of several layouts of the same series. */
  static DeclaredFixture companion(String nameOrYaml, int index, String identity) {
    Layout layout = Layouts.all(nameOrYaml, Map.of()).get(index);
    return new DeclaredFixture(((DeclaredLayout) layout).declaration(), identity);
  }

  @Override
  public Layout layout() {
    return new DeclaredLayout(declaration);
  }

  @Override
  public String identity() {
    return identity;
  }

  @Override
  public long time(Random random) {
    return points.time(random);
  }

  @Override
  public Value value(Kind kind, Random random) {
    return points.value(kind, random);
  }

  @Override
  public List<Kind> kinds(String field) {
    return List.of(Kind.values());
  }

  @Override
  public GroupKey key(Random random) {
    GroupKey any = points.key(random);
    String metric = any.metric();
    boolean allTags = declaration.key().contains(new KeyElement.AllTags());
    boolean allResource = declaration.key().contains(new KeyElement.AllResource());
    Tags tags = allTags ? any.tags() : Tags.EMPTY;
    Tags resource = allResource ? any.resource() : Tags.EMPTY;
    for (KeyElement element : declaration.key()) {
      switch (element) {
        case KeyElement.Metric(TextForm form) -> metric = text(form, random);
        case KeyElement.Tag(String name, TextForm form) -> {
          if (isRequired(form, allTags) || random.nextBoolean()) {
            tags = tags.with(name, text(form, random));
          }
        }
        case KeyElement.Resource(String name, TextForm form) -> {
          if (isRequired(form, allResource) || random.nextBoolean()) {
            resource = resource.with(name, text(form, random));
          }
        }
        default -> {}
      }
    }
    return new GroupKey(metric, tags, resource);
  }

  private static boolean isRequired(TextForm form, boolean others) {
    return !others || form.width() > 0;
  }

  private String text(TextForm form, Random random) {
    if (form.transform() instanceof TextTransform.ZeroPad(int digits)) {
      return Long.toString(random.nextLong((long) Math.pow(10, Math.min(digits, 4))));
    }
    if (form.width() == 0) {
      return points.text(random);
    }
    while (true) {
      String text = SHORT.get(random.nextInt(SHORT.size()));
      if (text.getBytes(StandardCharsets.UTF_8).length <= form.width()) {
        return text;
      }
    }
  }

  @Override
  public List<String> fields() {
    return fields;
  }

  /** Those that families name, and of the family for the rest the default and one other. */
  private static List<String> fieldsOf(Declaration declaration) {
    Set<String> fields = new LinkedHashSet<>();
    for (FamilyDeclaration family : declaration.families()) {
      fields.addAll(family.fields());
      if (family.fields().isEmpty()) {
        fields.add(Series.DEFAULT_FIELD);
        if (namesFields(family)) {
          fields.add("other");
        }
      }
    }
    return List.copyOf(fields);
  }

  private static boolean namesFields(FamilyDeclaration family) {
    return family.value() == ValueForm.ALL
        || family.qualifier().stream().anyMatch(QualifierElement.Field.class::isInstance);
  }

  /** A packed cell of which one is kept takes the fields of the one before it away. */
  @Override
  public boolean fieldsComeTogether() {
    boolean rowASample = declaration.key().contains(new KeyElement.Sequence());
    return declaration.families().stream()
        .anyMatch(family ->
            family.value() == ValueForm.ALL
                && family.versions() == 1
                && !rowASample
                && family.qualifier().stream()
                    .noneMatch(QualifierElement.Sequence.class::isInstance));
  }

  @Override
  public long holdable(long time) {
    int last = layout.rows().lastTimePart();
    if (unit == 1 || last < 0) {
      return time;
    }
    long start = ((KeyPart.Time) layout.rows().parts().get(last)).floor(time);
    return start + (time - start) / unit * unit;
  }

  private static long unitOf(Declaration declaration) {
    long unit = 1;
    for (FamilyDeclaration family : declaration.families()) {
      for (QualifierElement element : family.qualifier()) {
        if (element instanceof QualifierElement.Offset offset && offset.unit() != null) {
          unit =
              Math.max(
                  unit,
                  Resolution.NANOSECONDS.convert(
                      offset.unit().toNanos(), declaration.resolution()));
        }
      }
    }
    return unit;
  }

  @Override
  public List<Outside> outside() {
    Random random = new Random(2);
    GroupKey key = key(random);
    List<Outside> outside = new ArrayList<>();
    TextForm metric = metricForm();
    if (metric.equals(TextForm.PLAIN)) {
      outside.add(
          new Outside.Key(
              new GroupKey("m".repeat(DeclaredLayout.ROW_KEY_MAX), key.tags(), key.resource()),
              "declared.key"));
    }
    outside.add(
        new Outside.Key(new GroupKey("x\ud800", key.tags(), key.resource()), "declared.text"));
    if (declaration.families().stream().anyMatch(DeclaredFixture::takesAnyField)) {
      outside.add(
          new Outside.Sample(key, "f\udc00", inside(random), new Value.Int64(1), "declared.text"));
    }
    if (unit > 1) {
      outside.add(
          new Outside.Sample(
              key, fields.getFirst(), inside(random) + 1, new Value.Int64(1), "declared.grid"));
    }
    if (declaration.attributes() != null) {
      outside.add(
          new Outside.Attribute(
              new Attribute(key, "n".repeat(DeclaredLayout.QUALIFIER_MAX), 0L, new Value.Int64(1)),
              "declared.qualifier"));
    }
    return outside;
  }

  private long inside(Random random) {
    return holdable(time(random));
  }

  private static boolean takesAnyField(FamilyDeclaration family) {
    return family.fields().isEmpty() && namesFields(family);
  }

  private TextForm metricForm() {
    return declaration.key().stream()
        .filter(KeyElement.Metric.class::isInstance)
        .map(element -> ((KeyElement.Metric) element).form())
        .findFirst()
        .orElseThrow();
  }

  @Override
  public List<Attribute> attributes() {
    if (declaration.attributes() == null) {
      return List.of();
    }
    GroupKey key = key(new Random(3));
    return List.of(
        new Attribute(key, "unit", null, new Value.Text("°C")),
        new Attribute(key, "", null, new Value.Int64(-1)),
        new Attribute(key, "moved\u0000", 1_425_168_000_000L, new Value.Real(-0.0)),
        new Attribute(key, "photo", -1L, new Value.Raw(Bytes.of((byte) 0, (byte) 0xff))));
  }

  /** All but packed values with a field of an unknown kind, which is skipped. */
  @Override
  public boolean hasOneForm(int table, Cell cell) {
    @Nullable FamilyDeclaration family =
        cell.family() < declaration.families().size()
            ? declaration.families().get(cell.family())
            : null;
    if (family == null || family.value() != ValueForm.ALL) {
      return true;
    }
    Bytes value = cell.value();
    int at = 1;
    while (at < value.length()) {
      // Names and values of the points above are shorter than 128 bytes: one byte says how long.
      int valueAt = at + 1 + value.at(at);
      if ((value.at(valueAt + 1) & RESERVED) != 0) {
        return false;
      }
      at = valueAt + 1 + value.at(valueAt);
    }
    return true;
  }
}

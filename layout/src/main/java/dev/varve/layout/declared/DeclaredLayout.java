package dev.varve.layout.declared;

import dev.varve.layout.Binding;
import dev.varve.layout.CellDescription;
import dev.varve.layout.CellSink;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Domain;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.Layout;
import dev.varve.layout.LayoutIdentity;
import dev.varve.layout.ReadScope;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.layout.Refusal;
import dev.varve.layout.RefusedException;
import dev.varve.layout.RowSamples;
import dev.varve.layout.RowShape;
import dev.varve.layout.Step;
import dev.varve.layout.declared.FamilyDeclaration.ValueForm;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.Power;
import dev.varve.store.QualifierRange;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A layout compiled from a declaration: one table, the declared row key, and each field in the
 * family that names it or else in the family that takes the rest.
 */
public final class DeclaredLayout implements Layout {
  /** Maximum length of row keys in bytes, so that the data can be moved to any store. */
  public static final int ROW_KEY_MAX = 4096;

  /** Maximum length of qualifiers in bytes. */
  public static final int QUALIFIER_MAX = 16_384;

  private final Declaration declaration;
  private final KeyPlan keys;
  private final List<FamilyColumns> families;
  private final @Nullable AttributeColumns attributes;
  private final Map<String, FamilyColumns> familyByField = new HashMap<>();
  private final @Nullable FamilyColumns restFamily;
  private final TableSpec table;

  /** The exact set of resource identifiers that every key must have; null if any are accepted. */
  private final @Nullable Set<String> resourceNames;

  private final Domain domain;
  private final LayoutIdentity identity;
  private final SampleDecoder decoder;

  /**
   * Compiles a declaration.
   *
   * @throws DeclarationException listing all faults
   */
  public DeclaredLayout(Declaration declaration) {
    List<Fault> faults = DeclarationRules.check(declaration);
    if (!faults.isEmpty()) {
      throw new DeclarationException("layout " + declaration.name(), faults);
    }
    this.declaration = declaration;
    this.keys = new KeyPlan(declaration);
    this.families = new ArrayList<>();
    long bucketTicks = DeclarationRules.bucketTicks(declaration);
    FamilyColumns rest = null;
    for (FamilyDeclaration family : declaration.families()) {
      FamilyColumns columns =
          new FamilyColumns(families.size(), family, bucketTicks, declaration.resolution());
      families.add(columns);
      family.fields().forEach(field -> familyByField.put(field, columns));
      rest = family.fields().isEmpty() ? columns : rest;
    }
    this.restFamily = rest;
    this.table = table();
    this.resourceNames = DeclaredDomain.resourceNames(declaration);
    this.attributes =
        declaration.attributes() == null
            ? null
            : new AttributeColumns(families.size(), declaration.attributes(), table.timeUnit());
    this.domain = DeclaredDomain.of(declaration, keys, families);
    this.identity = DeclaredIdentity.of(declaration, families);
    this.decoder = new SampleDecoder(this, keys);
  }

  private TableSpec table() {
    List<FamilySpec> specs = new ArrayList<>();
    families.forEach(family -> specs.add(family.spec));
    boolean eventTime = families.stream().anyMatch(family -> family.eventTime);
    Resolution unit = eventTime ? declaration.resolution() : Resolution.MICROSECONDS;
    if (declaration.attributes() != null) {
      specs.add(new AttributeColumns(specs.size(), declaration.attributes(), unit).spec);
    }
    return new TableSpec(declaration.table(), specs, unit, keys.shape().partitioning());
  }

  /** Returns the declaration that this layout was compiled from. */
  public Declaration declaration() {
    return declaration;
  }

  @Override
  public LayoutIdentity identity() {
    return identity;
  }

  @Override
  public Resolution resolution() {
    return declaration.resolution();
  }

  @Override
  public List<TableSpec> tables() {
    return List.of(table);
  }

  @Override
  public int dataTable() {
    return 0;
  }

  @Override
  public Set<Class<? extends Power>> needs() {
    return Set.of();
  }

  @Override
  public Domain domain() {
    return domain;
  }

  @Override
  public RowShape rows() {
    return keys.shape();
  }

  @Override
  public Step<Optional<Binding>> bind(GroupKey key, boolean create) {
    return Step.done(Optional.of(bound(key)));
  }

  private DeclaredBinding bound(GroupKey key) {
    checkTexts(key);
    checkPlaces("tag", key, key.tags(), domain.tagNames());
    checkPlaces("resource", key, key.resource(), resourceNames);
    DeclaredBinding binding = keys.bind(new Binding.Plain(key));
    int length = keys.unsettledLength();
    for (byte[] segment : binding.segments()) {
      length += segment.length;
    }
    if (length > ROW_KEY_MAX) {
      throw new RefusedException(
          "declared.key",
          "the row key of %s would take %d bytes, more than the limit of %d"
              .formatted(shortened(key), length, ROW_KEY_MAX));
    }
    return binding;
  }

  private static String shortened(GroupKey key) {
    String text = key.toString();
    return text.length() <= 200 ? text : text.substring(0, 200) + "...";
  }

  private static void checkTexts(GroupKey key) {
    checkText(key.metric());
    key.tags()
        .forEach((name, value) -> {
          checkText(name);
          checkText(value);
        });
    key.resource()
        .forEach((name, value) -> {
          checkText(name);
          checkText(value);
        });
  }

  private static void checkText(String text) {
    if (Utf8.unpaired(text) >= 0) {
      throw new RefusedException(
          "declared.text",
          "'%s' contains an unpaired surrogate, which UTF-8 cannot encode".formatted(text));
    }
  }

  /** Rejects tags that the key cannot hold. Missing ones are rejected by their parts. */
  private void checkPlaces(String what, GroupKey key, Tags tags, @Nullable Set<String> places) {
    if (places != null) {
      for (int i = 0; i < tags.size(); i++) {
        if (!places.contains(tags.name(i))) {
          throw new RefusedException(
              "declared." + what,
              "%s '%s' of %s has no place in layout %s, whose key has %s"
                  .formatted(
                      what,
                      tags.name(i),
                      key,
                      declaration.name(),
                      places.isEmpty() ? "none" : "only " + places.stream().sorted().toList()));
        }
      }
    }
  }

  @Override
  public void encode(Binding binding, SampleGroup group, long firstStamp, CellSink sink) {
    new SampleEncoder(this, keys, declared(binding), group, firstStamp, sink).encode();
  }

  @Override
  public void encode(Binding binding, Attribute attribute, long stamp, CellSink sink) {
    if (attributes == null) {
      throw new RefusedException(
          "declared.attribute",
          "layout %s has no place for attributes, such as '%s'"
              .formatted(declaration.name(), attribute.name()));
    }
    checkText(attribute.name());
    if (attribute.value() instanceof Value.Text(String text)) {
      checkText(text);
    }
    KeyBytes row = new KeyBytes();
    keys.encode(declared(binding), new KeyInput(binding).stamp(stamp), row);
    long writeTime = Resolution.MICROSECONDS.convert(stamp, table.timeUnit());
    attributes.encode(attribute, writeTime, row, sink.data(0));
  }

  private DeclaredBinding declared(Binding binding) {
    return binding instanceof DeclaredBinding own ? own : bound(binding.key());
  }

  @Override
  public List<FamilySelect> select(ReadScope scope) {
    List<FamilySelect> selects = new ArrayList<>();
    for (FamilyColumns family : families) {
      Set<String> fields = scope.fields();
      Set<String> here = fields == null ? null : fieldsIn(family, fields);
      if (here == null || !here.isEmpty()) {
        selects.add(select(family, here, scope));
      }
    }
    if (attributes != null && scope.attributes()) {
      selects.add(attributes.select());
    }
    return selects;
  }

  private Set<String> fieldsIn(FamilyColumns family, Set<String> fields) {
    Set<String> here = new TreeSet<>(fields);
    here.removeIf(field -> familyOf(field) != family);
    return here;
  }

  private static FamilySelect select(
      FamilyColumns family, @Nullable Set<String> fields, ReadScope scope) {
    List<QualifierRange> ranges = fields == null ? List.of() : family.qualifier.ranges(fields);
    int kept = family.spec.maxVersions();
    if (family.eventTime) {
      return new FamilySelect(family.index, ranges, family.cellTimes(scope.times()), kept);
    }
    // The newest version of a packed cell may lack a field that an older one has.
    int newest = family.form == ValueForm.ALL ? kept : 1;
    return switch (scope.versions()) {
      case Versions.Latest latest -> new FamilySelect(family.index, ranges, TimeRange.ALL, newest);
      case Versions.AsOf(long stamp) ->
          new FamilySelect(family.index, ranges, TimeRange.closed(Long.MIN_VALUE, stamp), newest);
      case Versions.All all -> new FamilySelect(family.index, ranges, TimeRange.ALL, kept);
    };
  }

  @Override
  public Optional<Bytes> qualifierAt(long bucket, long time) {
    Qualifier first = families.getFirst().qualifier;
    for (FamilyColumns family : families) {
      if (!family.qualifier.offsetFirst()
          || family.qualifier.offsetUnit() != first.offsetUnit()
          || family.qualifier.offsetBytes() != first.offsetBytes()) {
        return Optional.empty();
      }
    }
    long steps = Math.ceilDiv(time - bucket, first.offsetUnit());
    boolean fits = first.offsetBytes() == 8 || steps >>> (8 * first.offsetBytes()) == 0;
    return fits
        ? Optional.of(new KeyBytes().number(steps, first.offsetBytes()).toBytes())
        : Optional.empty();
  }

  @Override
  public boolean rowsInTimeOrder() {
    return (keys.hasTime() && keys.time().instant())
        || families.stream().allMatch(family -> family.qualifier.inTimeOrder());
  }

  @Override
  public void decode(CellBatch cells, int from, int to, RowSamples out) {
    decoder.decode(cells, from, to, out);
  }

  @Override
  public Step<GroupKey> identify(Bytes row) {
    byte[] bytes = row.toArray();
    keys.check(bytes, 0, bytes.length);
    KeyOutput out = new KeyOutput();
    keys.shape().decode(bytes, 0, bytes.length, out);
    return Step.done(out.key());
  }

  @Override
  public CellDescription describe(int tableIndex, Cell cell) {
    if (tableIndex != 0) {
      throw new DamagedCellException(
          "table %d: layout %s has one table".formatted(tableIndex, declaration.name()));
    }
    return new CellDescriber(this, keys).describe(cell);
  }

  /** Returns the family that stores a field, or null if there is none. */
  @Nullable FamilyColumns familyOf(String field) {
    return familyByField.isEmpty() ? restFamily : familyByField.getOrDefault(field, restFamily);
  }

  FamilyColumns family(int index) {
    return families.get(index);
  }

  /** Returns whether any family packs all fields of a slot into one cell. */
  boolean packs() {
    return families.stream().anyMatch(family -> family.form == ValueForm.ALL);
  }

  /** Returns whether a single family stores every possible field. */
  boolean holdsEveryField() {
    return familyByField.isEmpty();
  }

  /** Returns the index of the family of attributes, or -1 if there is none. */
  int attributesFamily() {
    return attributes == null ? -1 : attributes.index;
  }

  /** Returns the family of attributes, which must exist. */
  AttributeColumns attributes() {
    if (attributes == null) {
      throw new IllegalStateException("layout " + declaration.name() + " has no attributes");
    }
    return attributes;
  }

  /** Returns why a field is rejected, or null if it is not. */
  @Nullable Refusal refusalOf(String field) {
    FamilyColumns family = familyOf(field);
    if (family == null) {
      return new Refusal(
          "declared.field",
          "field '%s' has no place in layout %s, which has %s"
              .formatted(
                  field, declaration.name(), familyByField.keySet().stream().sorted().toList()));
    }
    if (!family.namesFields && !field.equals(family.onlyField)) {
      return new Refusal(
          "declared.field",
          "field '%s' has no place in family %s of layout %s, which does not name its fields"
              .formatted(field, family.spec.name(), declaration.name()));
    }
    if (Utf8.unpaired(field) >= 0) {
      return new Refusal(
          "declared.text",
          "field '%s' contains an unpaired surrogate, which UTF-8 cannot encode".formatted(field));
    }
    return null;
  }

  /** Returns why a value is rejected, or null if it is not. */
  static @Nullable Refusal refusalOf(Column column, int place) {
    if (column instanceof Column.Texts texts
        && !Utf8.valid(texts.bytes(), texts.start(place), texts.end(place))) {
      return new Refusal(
          "declared.text", "the text of field '%s' is not UTF-8".formatted(column.field()));
    }
    return null;
  }

  @Override
  public String toString() {
    return identity.toString();
  }
}

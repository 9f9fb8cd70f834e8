package dev.varve.layout.declared;

import dev.varve.layout.declared.FamilyDeclaration.ValueForm;
import dev.varve.model.Resolution;
import dev.varve.store.FamilySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link Declaration} with the same defaults as YAML. Not safe for use by several threads.
 */
public final class DeclarationBuilder {
  private final String name;
  private String about = "";
  private @Nullable String table;
  private Resolution resolution = Resolution.MILLISECONDS;
  private @Nullable Duration retention;
  private final List<KeyElement> key = new ArrayList<>();
  private @Nullable Integer partition;
  private final List<FamilyDeclaration> families = new ArrayList<>();
  private @Nullable AttributesDeclaration attributes;
  private final Set<String> allow = new LinkedHashSet<>();

  DeclarationBuilder(String name) {
    this.name = name;
  }

  public DeclarationBuilder about(String line) {
    about = line;
    return this;
  }

  /** Sets the table's name; the default is the name of the layout. */
  public DeclarationBuilder table(String tableName) {
    table = tableName;
    return this;
  }

  /** Sets the unit of sample times; the default is milliseconds. */
  public DeclarationBuilder resolution(Resolution unit) {
    resolution = unit;
    return this;
  }

  public DeclarationBuilder retention(Duration length) {
    retention = length;
    return this;
  }

  /** Adds parts to the row key. */
  public DeclarationBuilder key(KeyElement... parts) {
    key.addAll(Arrays.asList(parts));
    return this;
  }

  /**
   * Sets how many leading parts name the partition. By default the partition extends through the
   * first bucket and the metric, but excludes parts that distinguish single samples (an instant or
   * a sequence). Without a bucket and a metric it is the whole row.
   */
  public DeclarationBuilder partition(int parts) {
    partition = parts;
    return this;
  }

  /** Adds a family. */
  public DeclarationBuilder family(String family, UnaryOperator<FamilyBuilder> shape) {
    families.add(shape.apply(new FamilyBuilder(family)).build());
    return this;
  }

  public DeclarationBuilder attributes(String family, CellTime time) {
    attributes = new AttributesDeclaration(family, time, 1);
    return this;
  }

  public DeclarationBuilder attributes(AttributesDeclaration declaration) {
    attributes = declaration;
    return this;
  }

  /** Overrules guardrails by rule. */
  public DeclarationBuilder allow(String... rules) {
    allow.addAll(Arrays.asList(rules));
    return this;
  }

  public Declaration build() {
    return new Declaration(
        name,
        about,
        table == null ? name : table,
        resolution,
        retention,
        key,
        partition == null ? defaultPartition() : partition,
        families,
        attributes,
        allow);
  }

  /**
   * Compiles the declaration.
   *
   * @throws DeclarationException listing all faults
   */
  public DeclaredLayout layout() {
    return new DeclaredLayout(build());
  }

  private int defaultPartition() {
    int end = 0;
    boolean metric = false;
    boolean bucket = false;
    while (end < key.size() && !(metric && bucket)) {
      KeyElement element = key.get(end);
      if (element instanceof KeyElement.Time || element instanceof KeyElement.Sequence) {
        return end;
      }
      metric |= element instanceof KeyElement.Metric;
      bucket |= element instanceof KeyElement.Bucket;
      end++;
    }
    return end;
  }

  /** Builds a {@link FamilyDeclaration}. */
  public static final class FamilyBuilder {
    private final String family;
    private List<String> fields = List.of();
    private List<QualifierElement> qualifier = List.of();
    private CellTime time = new CellTime.Server();
    private ValueForm value = ValueForm.ONE;
    private @Nullable Integer versions;

    FamilyBuilder(String family) {
      this.family = family;
    }

    /** Sets the fields stored here; the default is every field that no other family names. */
    public FamilyBuilder fields(String... names) {
      fields = List.of(names);
      return this;
    }

    public FamilyBuilder qualifier(QualifierElement... parts) {
      qualifier = List.of(parts);
      return this;
    }

    /** Sets the meaning of cell times; the default is {@link CellTime.Server}. */
    public FamilyBuilder time(CellTime meaning) {
      time = meaning;
      return this;
    }

    public FamilyBuilder value(ValueForm form) {
      value = form;
      return this;
    }

    /**
     * Sets how many cells of a column are kept, {@link FamilySpec#ALL_VERSIONS} for all. The
     * default is all if cell times are event times, otherwise one.
     */
    public FamilyBuilder versions(int count) {
      versions = count;
      return this;
    }

    FamilyDeclaration build() {
      int kept =
          versions != null
              ? versions
              : time instanceof CellTime.Server ? 1 : FamilySpec.ALL_VERSIONS;
      return new FamilyDeclaration(family, fields, qualifier, time, value, kept);
    }
  }
}

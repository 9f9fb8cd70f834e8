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
 * Builds a {@link Declaration}, with the defaults that YAML has too. Not safe for several threads.
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

  /** The name of the table; that of the layout where nothing else is said. */
  public DeclarationBuilder table(String tableName) {
    table = tableName;
    return this;
  }

  /** The unit of sample times; milliseconds where nothing else is said. */
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
   * How many leading parts name the partition. Where nothing is said it is bounded as far as the
   * key bounds it: it goes on to the first bucket and the metric, but not into what tells single
   * samples apart, an instant or a sequence; without either it is the whole row.
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

  /** Overrules a guardrail, by its rule. */
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
   * @throws DeclarationException with all that is wrong with it
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

    /** The fields that live here; without it, all that live in no other family. */
    public FamilyBuilder fields(String... names) {
      fields = List.of(names);
      return this;
    }

    public FamilyBuilder qualifier(QualifierElement... parts) {
      qualifier = List.of(parts);
      return this;
    }

    /** What the cell time says; {@link CellTime.Server} where nothing else is said. */
    public FamilyBuilder time(CellTime meaning) {
      time = meaning;
      return this;
    }

    public FamilyBuilder value(ValueForm form) {
      value = form;
      return this;
    }

    /**
     * How many cells of a column are kept, {@link FamilySpec#ALL_VERSIONS} for all. Where nothing
     * is said: all where the cell time is that of the event, else one.
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

package dev.varve.store;

import dev.varve.model.Resolution;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Everything a store needs to open a table.
 *
 * @param name unique within the store; 1 to 100 characters of {@code a-z A-Z 0-9 _ . -}
 * @param families at least one; their order determines the order of cells in a row
 * @param timeUnit the unit of the table's cell times
 * @param partitioning determines which prefix of a row key names the partition
 * @param form how the table represents cells if another program created it
 * @param foreign whether another program created the table. Its name and form are that program's,
 *     and Varve never creates, alters or drops it
 * @param upkeep maintenance that the store may perform
 */
public record TableSpec(
    String name,
    List<FamilySpec> families,
    Resolution timeUnit,
    Partitioning partitioning,
    TableForm form,
    boolean foreign,
    Upkeep upkeep) {
  /** Regular expression for table names. */
  public static final String NAME = "[A-Za-z0-9_.-]{1,100}";

  public TableSpec {
    families = List.copyOf(families);
    if (!name.matches(NAME)) {
      throw new IllegalArgumentException(
          "table name '" + name + "' is not 1 to 100 characters of a-z A-Z 0-9 _ . -");
    }
    if (families.isEmpty()) {
      throw new IllegalArgumentException("table '" + name + "' has no family");
    }
    Set<String> names = new HashSet<>();
    for (FamilySpec family : families) {
      if (!names.add(family.name())) {
        throw new IllegalArgumentException(
            "table '" + name + "' has family '" + family.name() + "' twice");
      }
    }
  }

  /** Creates the spec of one of Varve's own tables, made of cells. */
  public TableSpec(
      String name, List<FamilySpec> families, Resolution timeUnit, Partitioning partitioning) {
    this(name, families, timeUnit, partitioning, TableForm.CELLS, false, Upkeep.NONE);
  }

  /** Returns the spec of the same table under another name. */
  public TableSpec named(String other) {
    return new TableSpec(other, families, timeUnit, partitioning, form, foreign, upkeep);
  }

  /** Returns the spec of another program's table with this name. */
  public TableSpec attached(String other) {
    return new TableSpec(other, families, timeUnit, partitioning, form, true, upkeep);
  }

  public TableSpec with(TableForm other) {
    return new TableSpec(name, families, timeUnit, partitioning, other, foreign, upkeep);
  }

  public TableSpec with(Upkeep other) {
    return new TableSpec(name, families, timeUnit, partitioning, form, foreign, other);
  }

  /**
   * Returns the index of a family in {@link #families()}, or -1 if the table has no family of that
   * name.
   */
  public int familyIndex(String family) {
    for (int i = 0; i < families.size(); i++) {
      if (families.get(i).name().equals(family)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Describes how this spec differs from another of the same table in a way that affects its cells,
   * or returns null if it does not. The partitioning is code and cannot be compared.
   */
  public @Nullable String differenceFrom(TableSpec other) {
    if (!families.equals(other.families)) {
      return "families %s instead of %s".formatted(families, other.families);
    }
    if (timeUnit != other.timeUnit) {
      return "time unit %s instead of %s".formatted(timeUnit.symbol(), other.timeUnit.symbol());
    }
    return null;
  }
}

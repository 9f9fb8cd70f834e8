package dev.varve.layout.declared;

import java.util.List;
import java.util.Locale;

/**
 * Declares a column family and the form of its cells.
 *
 * @param name its name in the store
 * @param fields the fields stored here; empty for all fields that no other family names
 * @param qualifier the qualifier, part by part; at least one
 * @param versions number of newest cells of a column to keep
 */
public record FamilyDeclaration(
    String name,
    List<String> fields,
    List<QualifierElement> qualifier,
    CellTime time,
    ValueForm value,
    int versions) {
  public FamilyDeclaration {
    fields = List.copyOf(fields);
    qualifier = List.copyOf(qualifier);
  }

  boolean has(Class<? extends QualifierElement> element) {
    return qualifier.stream().anyMatch(element::isInstance);
  }

  /** The content of a cell's value. */
  public enum ValueForm {
    /** One value of one field. */
    ONE,
    /** All fields that one slot of samples has in this family. */
    ALL,
    /** Nothing: the value is part of the qualifier. */
    EMPTY;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}

package dev.varve.layout.declared;

import java.util.List;

/**
 * A column family and how its cells are made.
 *
 * @param name as the store knows it
 * @param fields the fields that live here; empty for all that live in no other family
 * @param qualifier the qualifier, part by part; at least one
 * @param versions how many cells of a column are kept, newest first
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

  /** What a cell's value holds. */
  public enum ValueForm {
    /** One value of one field. */
    ONE,
    /** All fields that one place of samples has in this family. */
    ALL,
    /** Nothing: the value stands in the qualifier. */
    EMPTY;

    String text() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }
}

package dev.varve.store;

/** A column of a table with typed columns, under its name in that table. */
public record TypedColumn(String name, Type type) {
  public enum Type {
    BLOB,
    TEXT,
    INT,
    TIMESTAMP,
    /** A frozen map from text to text. */
    MAP
  }
}

package dev.varve.store;

/** A column of a table with typed columns; its name is the one that it has there. */
public record TypedColumn(String name, Type type) {
  public enum Type {
    BLOB,
    TEXT,
    INT,
    TIMESTAMP,
    /** A frozen map of texts. */
    MAP
  }
}

package dev.varve.model;

import java.util.Set;

/** What a sample's value is. A series may hold samples of several kinds. */
public enum Kind {
  INT64,
  DOUBLE,
  STRING;

  public static final Set<Kind> ALL = Set.of(values());

  public static final Set<Kind> NUMBERS = Set.of(INT64, DOUBLE);
}

package dev.varve.model;

import java.util.Set;

/** The type of a sample's value. One series may hold samples of several kinds. */
public enum Kind {
  INT64,
  DOUBLE,
  STRING;

  public static final Set<Kind> ALL = Set.of(values());

  public static final Set<Kind> NUMBERS = Set.of(INT64, DOUBLE);
}

package dev.varve.model;

/** What a sample's value is. A series may hold samples of several kinds. */
public enum Kind {
  INT64,
  DOUBLE,
  STRING
}

package dev.varve.server.heroic.error;

/** Heroic's names of the limits of a query. */
public enum Limit {
  SERIES,
  GROUP,
  QUOTA,
  AGGREGATION
}

package dev.varve.store;

/**
 * The order in which a slice delivers its rows. The order within a row is always the same: by
 * family, by qualifier, newest first.
 */
public enum Direction {
  FORWARD,
  REVERSE
}

package dev.varve.store;

/**
 * The order in which the rows of a slice are answered. Within a row the order is the same for both:
 * families, qualifiers, newest first.
 */
public enum Direction {
  FORWARD,
  REVERSE
}

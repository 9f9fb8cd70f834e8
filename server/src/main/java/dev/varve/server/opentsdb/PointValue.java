package dev.varve.server.opentsdb;

/** The value of a point that is written. */
sealed interface PointValue {
  record Whole(long number) implements PointValue {}

  record Real(double number) implements PointValue {}

  record Text(String text) implements PointValue {}
}

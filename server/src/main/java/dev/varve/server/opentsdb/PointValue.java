package dev.varve.server.opentsdb;

import dev.varve.model.Bytes;

/** The value of a point that is written. */
sealed interface PointValue {
  record Whole(long number) implements PointValue {}

  record Real(double number) implements PointValue {}

  record Text(String text) implements PointValue {}

  /** An attribute of a series and a time. */
  record Noted(String name, Bytes bytes) implements PointValue {}
}

package dev.varve.server.opentsdb.query;

import java.util.Locale;

/** The fill policy: the value of a bucket without points. */
public enum Fill {
  /** None: values at the times of other series are interpolated. */
  NONE,
  ZERO,
  NAN,
  /** NaN, written as null. */
  NULL,
  /** A number that the client chooses; in expressions only. */
  SCALAR;

  /**
   * Parses a name, in any case.
   *
   * @throws IllegalArgumentException with OpenTSDB's message if there is no such fill
   */
  public static Fill of(String name) {
    for (Fill fill : values()) {
      if (fill.word().equalsIgnoreCase(name)) {
        return fill;
      }
    }
    throw new IllegalArgumentException("Unrecognized fill policy: " + name);
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the value of an empty bucket. */
  double value() {
    return this == ZERO ? 0 : Double.NaN;
  }
}

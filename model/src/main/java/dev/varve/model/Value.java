package dev.varve.model;

import org.jspecify.annotations.Nullable;

/**
 * A single value, for code that handles samples one by one: tools, attributes, explanations. Bulk
 * samples travel in {@link Column}s.
 */
public sealed interface Value {
  record Int64(long value) implements Value {}

  /** A double, compared by its bits: every NaN equals itself, and 0.0 differs from -0.0. */
  record Real(double value) implements Value {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Real that
          && Double.doubleToRawLongBits(value) == Double.doubleToRawLongBits(that.value);
    }

    @Override
    public int hashCode() {
      return Long.hashCode(Double.doubleToRawLongBits(value));
    }
  }

  record Text(String value) implements Value {}

  /**
   * Bytes that are stored and shown unchanged, such as a distribution in its sender's encoding.
   * Never a sample's value.
   */
  record Raw(Bytes value) implements Value {}

  /**
   * Returns the kind of a sample that has this value.
   *
   * @throws IllegalStateException for {@link Raw}, which no sample can have
   */
  default Kind kind() {
    return switch (this) {
      case Int64 i -> Kind.INT64;
      case Real r -> Kind.DOUBLE;
      case Text t -> Kind.STRING;
      case Raw r -> throw new IllegalStateException("raw bytes are not a sample");
    };
  }
}

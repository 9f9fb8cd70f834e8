package dev.varve.model;

/**
 * One value, for where samples are handled one by one: tools, attributes, explanations. Samples in
 * bulk travel in {@link Column}s.
 */
public sealed interface Value {
  record Int64(long value) implements Value {}

  /** Equal by the bits of the number, so that every NaN is itself and 0.0 is not -0.0. */
  record Real(double value) implements Value {
    @Override
    public boolean equals(@org.jspecify.annotations.Nullable Object other) {
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
   * Bytes that are kept and shown as they are, such as a distribution in its sender's encoding.
   * Never a sample's value.
   */
  record Raw(Bytes value) implements Value {}

  /** The kind of a sample with this value. */
  default Kind kind() {
    return switch (this) {
      case Int64 i -> Kind.INT64;
      case Real r -> Kind.DOUBLE;
      case Text t -> Kind.STRING;
      case Raw r -> throw new IllegalStateException("raw bytes are no sample");
    };
  }
}

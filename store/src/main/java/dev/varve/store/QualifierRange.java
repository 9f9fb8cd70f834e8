package dev.varve.store;

import dev.varve.model.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Qualifiers from {@code from} (inclusive) to {@code to} (exclusive); null means no upper bound.
 */
public record QualifierRange(Bytes from, @Nullable Bytes to) {
  public static QualifierRange exactly(Bytes qualifier) {
    return new QualifierRange(qualifier, qualifier.successor());
  }

  public static QualifierRange prefix(Bytes prefix) {
    return new QualifierRange(prefix, prefix.prefixEnd());
  }
}

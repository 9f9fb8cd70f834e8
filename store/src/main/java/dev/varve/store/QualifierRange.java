package dev.varve.store;

import dev.varve.model.Bytes;
import org.jspecify.annotations.Nullable;

/** Qualifiers from {@code from} on and before {@code to}; null for no end. */
public record QualifierRange(Bytes from, @Nullable Bytes to) {
  public static QualifierRange exactly(Bytes qualifier) {
    return new QualifierRange(qualifier, qualifier.successor());
  }

  public static QualifierRange prefix(Bytes prefix) {
    return new QualifierRange(prefix, prefix.prefixEnd());
  }
}

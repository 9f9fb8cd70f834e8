package dev.varve.layout.declared;

import org.jspecify.annotations.Nullable;

/**
 * A reason why a declaration is invalid.
 *
 * @param path where, such as {@code key[2]} or {@code families.d.qualifier}; empty for the whole
 * @param message what is wrong and how to fix it
 * @param rule the guardrail that it violates, which cannot be overruled; null if none
 */
public record Fault(String path, String message, @Nullable String rule) {
  Fault(String path, String message) {
    this(path, message, null);
  }
}

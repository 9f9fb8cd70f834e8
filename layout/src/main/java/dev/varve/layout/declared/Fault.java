package dev.varve.layout.declared;

import org.jspecify.annotations.Nullable;

/**
 * Something that makes a declaration no layout.
 *
 * @param path where, such as {@code key[2]} or {@code families.d.qualifier}; empty for the whole
 * @param message what is wrong and what would be right
 * @param rule the guardrail that it breaks, one that cannot be overruled; null where it breaks none
 */
public record Fault(String path, String message, @Nullable String rule) {
  Fault(String path, String message) {
    this(path, message, null);
  }
}

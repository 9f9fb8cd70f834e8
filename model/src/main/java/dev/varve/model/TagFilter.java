package dev.varve.model;

import java.util.Set;

/**
 * A condition on one label of a series ({@link Series#label}). {@code __name__} and {@code
 * __field__} are labels too. As in the Prometheus data model, a missing label equals the empty
 * string, except for {@link Has}.
 *
 * <p>Patterns use RE2 syntax and run in linear time. They are anchored at both ends, and {@code .}
 * also matches line breaks. They are kept as text because the engine does the matching.
 */
public sealed interface TagFilter {
  /** The name of the label that the filter tests. */
  String name();

  record Equal(String name, String value) implements TagFilter {}

  record NotEqual(String name, String value) implements TagFilter {}

  record In(String name, Set<String> values) implements TagFilter {
    public In {
      values = Set.copyOf(values);
    }
  }

  record Prefix(String name, String prefix) implements TagFilter {}

  record Regex(String name, String pattern) implements TagFilter {}

  record NotRegex(String name, String pattern) implements TagFilter {}

  /** Matches series that carry the label, whatever its value. */
  record Has(String name) implements TagFilter {}
}

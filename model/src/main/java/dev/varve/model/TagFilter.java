package dev.varve.model;

import java.util.Set;

/**
 * A condition on one label of a series ({@link Series#label}); {@code __name__} and {@code
 * __field__} are labels too. As in the Prometheus data model a label that a series does not carry
 * counts as the empty text, but for {@link Has}.
 *
 * <p>Patterns are RE2 syntax, anchored at both ends, {@code .} matches line breaks too, and run in
 * linear time; they stand here as text because matching is the engine's work.
 */
public sealed interface TagFilter {
  /** The label that the filter looks at. */
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

  /** The series carries the label, with whatever value. */
  record Has(String name) implements TagFilter {}
}

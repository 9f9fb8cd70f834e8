package dev.varve.server.relabel;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A declared rule in Prometheus' terms. Null means absent; an empty text is a value.
 *
 * @param sourceLabels labels whose values, joined by the separator, are the input
 * @param separator default {@code ;}
 * @param regex must match the whole input, in RE2's syntax with flag {@code s}; default {@code
 *     (.*)}
 * @param modulus modulus of {@code hashmod}, from 1 to 2^64 - 1
 * @param targetLabel the label to set
 * @param replacement its new value; default {@code $1}
 * @param action default {@link Action#REPLACE}
 */
public record RelabelConfig(
    @Nullable List<String> sourceLabels,
    @Nullable String separator,
    @Nullable String regex,
    @Nullable String modulus,
    @Nullable String targetLabel,
    @Nullable String replacement,
    @Nullable String action) {
  /** The keys of a rule, in Prometheus' spelling. */
  public static final List<String> KEYS =
      List.of(
          "source_labels",
          "separator",
          "regex",
          "modulus",
          "target_label",
          "replacement",
          "action");

  public RelabelConfig {
    sourceLabels = sourceLabels == null ? null : List.copyOf(sourceLabels);
  }

  /** The effect of a rule. */
  public enum Action {
    /** Sets the target to the replacement if the regex matches. */
    REPLACE,
    /** Drops the labels if the regex does not match. */
    KEEP,
    /** Drops the labels if the regex matches. */
    DROP,
    /** Drops the labels if the input differs from the target. */
    KEEPEQUAL,
    /** Drops the labels if the input equals the target. */
    DROPEQUAL,
    /** Sets the target to a hash of the input, modulo a number. */
    HASHMOD,
    /** Copies labels whose names match the regex to the names given by the replacement. */
    LABELMAP,
    /** Removes labels whose names match the regex. */
    LABELDROP,
    /** Removes all other labels. */
    LABELKEEP,
    /** Sets the target to the input in lower case. */
    LOWERCASE,
    /** Sets the target to the input in upper case. */
    UPPERCASE;

    /** Returns its name in configurations. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}

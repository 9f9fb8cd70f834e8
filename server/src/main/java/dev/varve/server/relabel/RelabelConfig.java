package dev.varve.server.relabel;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A rule as it is declared, in Prometheus' words; null is what is not said. An empty text is said.
 *
 * @param sourceLabels whose values, joined by the separator, are looked at
 * @param separator {@code ;} where it is not said
 * @param regex has to fit the whole of what is looked at, in RE2's syntax with {@code s}; {@code
 *     (.*)} where it is not said
 * @param modulus of {@code hashmod}, from 1 to 2^64 - 1
 * @param targetLabel what is set
 * @param replacement to what; {@code $1} where it is not said
 * @param action {@link Action#REPLACE} where it is not said
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

  /** What a rule does. */
  public enum Action {
    /** Sets the target to the replacement, where the regex fits. */
    REPLACE,
    /** Drops what the regex does not fit. */
    KEEP,
    /** Drops what the regex fits. */
    DROP,
    /** Drops what is not equal to the target. */
    KEEPEQUAL,
    /** Drops what is equal to the target. */
    DROPEQUAL,
    /** Sets the target to a hash of what is looked at, modulo some number. */
    HASHMOD,
    /** Copies labels whose names the regex fits to the names that the replacement makes of them. */
    LABELMAP,
    /** Removes labels whose names the regex fits. */
    LABELDROP,
    /** Removes all other labels. */
    LABELKEEP,
    /** Sets the target to what is looked at, in small letters. */
    LOWERCASE,
    /** The same in capitals. */
    UPPERCASE;

    /** As it is written in a configuration. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}

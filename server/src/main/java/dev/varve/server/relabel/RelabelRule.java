package dev.varve.server.relabel;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.varve.model.PatternSize;
import dev.varve.query.promql.eval.GroupTemplate;
import dev.varve.server.relabel.RelabelConfig.Action;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A validated rule. Thread-safe.
 *
 * @param modulus unsigned; 0 for none
 * @param targetName target with references to groups of the pattern
 * @param replacement value with references to groups, or the name if labels are mapped
 */
record RelabelRule(
    Action action,
    List<String> sourceLabels,
    String separator,
    Pattern pattern,
    long modulus,
    String target,
    GroupTemplate targetName,
    GroupTemplate replacement) {
  private static final String SEPARATOR = ";";
  private static final String REGEX = "(.*)";
  private static final String REPLACEMENT = "$1";

  /**
   * Validates a rule.
   *
   * @throws WrongRuleException if it is inconsistent
   */
  static RelabelRule of(RelabelConfig config) {
    Action action = action(config.action());
    check(action, config);
    Pattern pattern = pattern(config.regex());
    String target = orElse(config.targetLabel(), "");
    return new RelabelRule(
        action,
        config.sourceLabels() == null ? List.of() : config.sourceLabels(),
        orElse(config.separator(), SEPARATOR),
        pattern,
        modulus(config.modulus()),
        target,
        new GroupTemplate(target, pattern),
        new GroupTemplate(orElse(config.replacement(), REPLACEMENT), pattern));
  }

  private static Action action(@Nullable String word) {
    if (word == null) {
      return Action.REPLACE;
    }
    if (word.isEmpty()) {
      throw new WrongRuleException("action", "relabel action cannot be empty");
    }
    for (Action action : Action.values()) {
      if (action.word().equals(word.toLowerCase(Locale.ROOT))) {
        return action;
      }
    }
    throw new WrongRuleException(
        "action",
        "unknown relabel action \"%s\": %s are known"
            .formatted(
                word,
                String.join(", ", Arrays.stream(Action.values()).map(Action::word).toList())));
  }

  private static void check(Action action, RelabelConfig config) {
    switch (action) {
      case REPLACE -> requireTarget(action, config);
      case KEEP, DROP -> {}
      case HASHMOD -> {
        if (modulus(config.modulus()) == 0) {
          throw new WrongRuleException(
              "modulus", "relabel configuration for hashmod requires non-zero modulus");
        }
        requireTarget(action, config);
      }
      case LOWERCASE, UPPERCASE -> {
        requireTarget(action, config);
        if (!orElse(config.replacement(), REPLACEMENT).equals(REPLACEMENT)) {
          throw new WrongRuleException(
              "replacement", "'replacement' can not be set for %s action".formatted(action.word()));
        }
      }
      case KEEPEQUAL, DROPEQUAL -> {
        requireTarget(action, config);
        String other = config.regex() != null ? "regex" : other(config);
        if (other != null) {
          throw new WrongRuleException(
              other,
              "%s action requires only 'source_labels' and `target_label`, and no other fields"
                  .formatted(action.word()));
        }
      }
      case LABELDROP, LABELKEEP -> {
        String other =
            config.sourceLabels() != null
                ? "source_labels"
                : orElse(config.targetLabel(), "").isEmpty() ? other(config) : "target_label";
        if (other != null) {
          throw new WrongRuleException(
              other,
              "%s action requires only 'regex', and no other fields".formatted(action.word()));
        }
      }
      case LABELMAP -> {
        if (orElse(config.replacement(), REPLACEMENT).isEmpty()) {
          throw new WrongRuleException(
              "replacement", "\"\" is invalid 'replacement' for labelmap action");
        }
      }
    }
  }

  private static void requireTarget(Action action, RelabelConfig config) {
    if (orElse(config.targetLabel(), "").isEmpty()) {
      throw new WrongRuleException(
          "target_label",
          "relabel configuration for %s action requires 'target_label' value"
              .formatted(action.word()));
    }
  }

  /** Returns a key that only some actions have, with another value than its default; or null. */
  private static @Nullable String other(RelabelConfig config) {
    if (modulus(config.modulus()) != 0) {
      return "modulus";
    }
    if (!orElse(config.separator(), SEPARATOR).equals(SEPARATOR)) {
      return "separator";
    }
    return orElse(config.replacement(), REPLACEMENT).equals(REPLACEMENT) ? null : "replacement";
  }

  private static long modulus(@Nullable String text) {
    try {
      return text == null ? 0 : Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      throw new WrongRuleException(
          "modulus",
          "'%s' is no 'modulus': a number from 1 to 18446744073709551615 is one".formatted(text));
    }
  }

  private static Pattern pattern(@Nullable String regex) {
    String source = orElse(regex, REGEX);
    try {
      PatternSize.check(source);
    } catch (IllegalArgumentException e) {
      throw new WrongRuleException("regex", String.valueOf(e.getMessage()));
    }
    try {
      return Pattern.compile(source, Pattern.DOTALL);
    } catch (PatternSyntaxException e) {
      throw new WrongRuleException(
          "regex", "'%s' is no 'regex': %s".formatted(source, e.getDescription()));
    }
  }

  private static String orElse(@Nullable String given, String otherwise) {
    return given == null ? otherwise : given;
  }

  /** Changes labels; false if they are dropped. */
  boolean apply(LabelEdit labels) {
    String value = value(labels);
    switch (action) {
      case KEEP -> {
        return pattern.matches(value);
      }
      case DROP -> {
        return !pattern.matches(value);
      }
      case KEEPEQUAL -> {
        return labels.get(target).equals(value);
      }
      case DROPEQUAL -> {
        return !labels.get(target).equals(value);
      }
      case REPLACE -> replace(labels, value);
      case HASHMOD -> labels.set(target, Long.toUnsignedString(hash(value, modulus)));
      case LOWERCASE -> labels.set(target, mapped(value, Character::toLowerCase));
      case UPPERCASE -> labels.set(target, mapped(value, Character::toUpperCase));
      case LABELMAP -> map(labels);
      case LABELDROP ->
          labels.copy().keySet().stream().filter(pattern::matches).forEach(labels::remove);
      case LABELKEEP ->
          labels.copy().keySet().stream()
              .filter(name -> !pattern.matches(name))
              .forEach(labels::remove);
    }
    return true;
  }

  private String value(LabelEdit labels) {
    return switch (sourceLabels.size()) {
      case 0 -> "";
      case 1 -> labels.get(sourceLabels.getFirst());
      default -> String.join(separator, sourceLabels.stream().map(labels::get).toList());
    };
  }

  private void replace(LabelEdit labels, String value) {
    Matcher matcher = pattern.matcher(value);
    if (matcher.matches()) {
      String name = targetName.expand(matcher);
      if (!name.isEmpty()) {
        labels.set(name, replacement.expand(matcher));
      }
    }
  }

  /** Maps labels. A mapped label is not mapped again, and an empty name is ignored. */
  private void map(LabelEdit labels) {
    labels
        .copy()
        .forEach((name, value) -> {
          Matcher matcher = pattern.matcher(name);
          if (matcher.matches()) {
            String mapped = replacement.expand(matcher);
            if (!mapped.isEmpty()) {
              labels.set(mapped, value);
            }
          }
        });
  }

  /**
   * Returns the last 8 bytes of the MD5 hash as an unsigned number, because other senders shard by
   * the same number.
   */
  private static long hash(String value, long modulus) {
    try {
      byte[] md5 = MessageDigest.getInstance("MD5").digest(value.getBytes(StandardCharsets.UTF_8));
      return Long.remainderUnsigned(ByteBuffer.wrap(md5).getLong(8), modulus);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has MD5", e);
    }
  }

  /** Maps a text letter by letter, as in Go: no letter becomes two. */
  private static String mapped(String text, IntUnaryOperator letter) {
    return text.codePoints()
        .map(letter)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}

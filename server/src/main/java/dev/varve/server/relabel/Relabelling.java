package dev.varve.server.relabel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Rules that are applied to labels one after another, with the semantics of <a
 * href="https://prometheus.io/docs/prometheus/latest/configuration/configuration/#relabel_config">relabel_config</a>
 * in Prometheus 3.5. Immutable.
 */
public final class Relabelling {
  /** No rules; labels stay unchanged. */
  public static final Relabelling NONE = new Relabelling(List.of());

  private final List<RelabelRule> rules;

  private Relabelling(List<RelabelRule> rules) {
    this.rules = rules;
  }

  /**
   * Validates rules.
   *
   * @throws IllegalArgumentException if one is inconsistent; the message has its index, from 0, and
   *     the reason
   */
  public static Relabelling of(List<RelabelConfig> configs) {
    List<RelabelRule> rules = new ArrayList<>(configs.size());
    for (RelabelConfig config : configs) {
      try {
        rules.add(RelabelRule.of(config));
      } catch (WrongRuleException e) {
        throw new IllegalArgumentException("rule %d: %s".formatted(rules.size(), e.getMessage()));
      }
    }
    return rules.isEmpty() ? NONE : new Relabelling(List.copyOf(rules));
  }

  /**
   * Validates one rule.
   *
   * @throws WrongRuleException if it is inconsistent, with the key that is wrong
   */
  static void check(RelabelConfig config) {
    RelabelRule.of(config);
  }

  /** Returns the number of rules. */
  public int size() {
    return rules.size();
  }

  /** Returns whether there is no rule. */
  public boolean isEmpty() {
    return rules.isEmpty();
  }

  /**
   * Applies the rules.
   *
   * @param labels labels, with the metric as {@code __name__}; an empty value means absent; not
   *     modified
   * @return a new map without empty values, possibly without a name; null if the labels are dropped
   */
  public @Nullable SortedMap<String, String> apply(Map<String, String> labels) {
    LabelEdit edit = new LabelEdit(labels);
    for (RelabelRule rule : rules) {
      if (!rule.apply(edit)) {
        return null;
      }
    }
    return edit.labels();
  }
}

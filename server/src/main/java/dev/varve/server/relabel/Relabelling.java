package dev.varve.server.relabel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Rules that are applied to labels one after the other, as Prometheus 3.5 applies its <a
 * href="https://prometheus.io/docs/prometheus/latest/configuration/configuration/#relabel_config">relabel_config</a>.
 * Immutable; safe for use by several threads.
 */
public final class Relabelling {
  /** No rule: labels stay as they are. */
  public static final Relabelling NONE = new Relabelling(List.of());

  private final List<RelabelRule> rules;

  private Relabelling(List<RelabelRule> rules) {
    this.rules = rules;
  }

  /**
   * Checks rules.
   *
   * @throws IllegalArgumentException if one contradicts itself, saying which, from 0, and why
   */
  public static Relabelling of(List<RelabelConfig> configs) {
    List<RelabelRule> rules = new ArrayList<>(configs.size());
    for (RelabelConfig config : configs) {
      try {
        rules.add(RelabelRule.of(config));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("rule %d: %s".formatted(rules.size(), e.getMessage()));
      }
    }
    return rules.isEmpty() ? NONE : new Relabelling(List.copyOf(rules));
  }

  /**
   * Checks one rule.
   *
   * @throws IllegalArgumentException if it contradicts itself
   */
  public static void check(RelabelConfig config) {
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
   * @param labels with the name of the metric as {@code __name__}, if it has one; an empty value is
   *     no label; not changed
   * @return the caller's own, without empty values, and maybe without a name; null where what
   *     carries the labels is dropped
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

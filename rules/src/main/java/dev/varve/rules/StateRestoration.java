package dev.varve.rules;

import dev.varve.model.Series;
import dev.varve.query.promql.Quoting;
import dev.varve.query.promql.eval.Labels;
import dev.varve.query.promql.eval.PromResult;
import dev.varve.query.promql.eval.PromSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Restores the pending time of alerts from {@code ALERTS_FOR_STATE} after a restart. The pending
 * time continues where it stopped: the time of the outage does not count, and the alert waits at
 * least for a grace period.
 */
final class StateRestoration {
  /** Marks a resolved alert if the store cannot hold staleness markers: no alert is that old. */
  static final double ENDED = 0;

  private final RuleQueries queries;
  private final RuleSettings settings;

  StateRestoration(RuleQueries queries, RuleSettings settings) {
    this.queries = queries;
    this.settings = settings;
  }

  void restore(EvaluatedAlerting alerting, Instant now) throws RuleFailedException {
    Rule.Alerting rule = alerting.rule();
    if (rule.hold().compareTo(settings.forGracePeriod()) < 0) {
      // The grace period would make it wait longer than its hold time.
      return;
    }
    PromSettings limits = settings.promql();
    PromSettings far = new PromSettings(settings.outageTolerance(), limits.subqueryStep());
    String selector = selector(rule);
    Map<Labels, Double> since = byLabels(queries.instant(selector, now, far));
    Map<Labels, Double> seen = byLabels(queries.instant("timestamp(" + selector + ")", now, far));
    for (ActiveAlert alert : alerting.active()) {
      Double activeAt = since.get(alert.labels);
      Double downAt = seen.get(alert.labels);
      if (activeAt != null && activeAt != ENDED && downAt != null) {
        alert.activeAt =
            activeAt(
                Instant.ofEpochSecond(activeAt.longValue()),
                Instant.ofEpochSecond(downAt.longValue()),
                now,
                rule.hold());
      }
    }
    alerting.show();
  }

  /** Returns the adjusted start of the pending time. */
  private Instant activeAt(Instant activeAt, Instant downAt, Instant now, Duration hold) {
    Duration remaining = hold.minus(Duration.between(activeAt, downAt));
    if (!remaining.isPositive()) {
      // It was firing, and fires again immediately.
      return activeAt;
    }
    return remaining.compareTo(settings.forGracePeriod()) < 0
        ? now.plus(settings.forGracePeriod()).minus(hold)
        : activeAt.plus(Duration.between(downAt, now));
  }

  /** Selects all alerts of a rule. Labels with templates may have any value. */
  private static String selector(Rule.Alerting rule) {
    StringBuilder selector = new StringBuilder(EvaluatedAlerting.FOR_STATE).append('{');
    selector.append(EvaluatedAlerting.ALERT_NAME).append('=').append(Quoting.quoted(rule.name()));
    rule.labels()
        .forEach((name, value) -> {
          if (!value.contains("{{") && !name.equals(EvaluatedAlerting.ALERT_NAME)) {
            selector
                .append(',')
                .append(Quoting.quoted(name))
                .append('=')
                .append(Quoting.quoted(value));
          }
        });
    return selector.append('}').toString();
  }

  private static Map<Labels, Double> byLabels(Iterable<PromResult.Element> elements) {
    Map<Labels, Double> values = new HashMap<>();
    for (PromResult.Element element : elements) {
      Map<String, String> labels = element.labels().toMap();
      labels.remove(Series.NAME_LABEL);
      values.put(Labels.of(labels), element.value());
    }
    return values;
  }
}

package dev.varve.rules;

import dev.varve.model.Series;
import dev.varve.query.promql.eval.Labels;
import dev.varve.query.promql.eval.PromResult;
import dev.varve.rules.template.Template;
import dev.varve.rules.template.TemplateException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** An alerting rule with its state. */
final class EvaluatedAlerting extends EvaluatedRule {
  static final String ALERT_NAME = "alertname";
  static final String FOR_STATE = "ALERTS_FOR_STATE";
  private static final String ALERTS = "ALERTS";
  private static final String ALERT_STATE = "alertstate";

  /** Time for which a resolved alert is kept and resent. */
  private static final Duration RESOLVED_RETENTION = Duration.ofMinutes(15);

  private final Rule.Alerting rule;
  private final RuleSettings settings;
  private final SortedMap<String, Template> labels;
  private final SortedMap<String, Template> annotations;
  private final Map<Labels, ActiveAlert> active = new LinkedHashMap<>();

  /** Whether the state from before the restart has been restored and may be overwritten. */
  private boolean restored;

  private volatile List<GroupStatus.Alert> shown = List.of();

  EvaluatedAlerting(Rule.Alerting rule, RuleSettings settings, boolean restored) {
    this.rule = rule;
    this.settings = settings;
    this.restored = restored;
    this.labels = templates(rule.name(), rule.labels());
    this.annotations = templates(rule.name(), rule.annotations());
  }

  private static SortedMap<String, Template> templates(
      String alert, SortedMap<String, String> texts) {
    SortedMap<String, Template> templates = new TreeMap<>();
    texts.forEach((name, text) -> {
      try {
        templates.put(name, Template.ofAlert(alert, text));
      } catch (TemplateException e) {
        throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
      }
    });
    return templates;
  }

  @Override
  Rule.Alerting rule() {
    return rule;
  }

  void restored() {
    restored = true;
  }

  Iterable<ActiveAlert> active() {
    return active.values();
  }

  @Override
  List<GroupStatus.Alert> alerts() {
    return shown;
  }

  @Override
  void takeOver(EvaluatedRule from) {
    super.takeOver(from);
    if (from instanceof EvaluatedAlerting alerting) {
      active.putAll(alerting.active);
      show();
    }
  }

  void show() {
    shown =
        active.values().stream()
            .filter(alert -> alert.resolvedAt == null)
            .map(ActiveAlert::status)
            .toList();
  }

  @Override
  List<RuleSample> evaluate(RuleQueries queries, Instant at, Duration offset, int limit)
      throws RuleFailedException {
    Map<Labels, ActiveAlert> found = found(queries, at, offset);
    try {
      return next(found, at, limit);
    } finally {
      show();
    }
  }

  /** Returns an alert for each series of the result. */
  private Map<Labels, ActiveAlert> found(RuleQueries queries, Instant at, Duration offset)
      throws RuleFailedException {
    Map<Labels, ActiveAlert> found = new LinkedHashMap<>();
    Asking asking = new Asking(queries, at, settings.externalUrl());
    for (PromResult.Element element : queries.instant(rule.query(), at.minus(offset))) {
      queries.ensureWanted();
      Map<String, String> own = element.labels().toMap();
      Template.Data data =
          new Template.Data(
              own, settings.externalLabels(), settings.externalUrl().toString(), element.value());
      own.remove(Series.NAME_LABEL);
      own.putAll(expanded(labels, data, asking));
      own.put(ALERT_NAME, rule.name());
      SortedMap<String, String> said = expanded(annotations, data, asking);
      ActiveAlert alert = new ActiveAlert(Labels.of(own), said, element.value(), at);
      if (found.put(alert.labels, alert) != null) {
        throw new RuleFailedException(
            "vector contains metrics with the same labelset after applying alert labels");
      }
    }
    return found;
  }

  private SortedMap<String, String> expanded(
      SortedMap<String, Template> templates, Template.Data data, Asking asking)
      throws RuleFailedException {
    SortedMap<String, String> texts = new TreeMap<>();
    for (Map.Entry<String, Template> template : templates.entrySet()) {
      String text;
      try {
        text = template.getValue().expand(data, asking);
      } catch (TemplateException e) {
        text =
            "<error expanding template: error executing template __alert_%s: %s>"
                .formatted(rule.name(), e.getMessage());
      }
      texts.put(template.getKey(), text);
    }
    return texts;
  }

  /**
   * Updates the state of every alert and returns the samples of those that are pending or firing.
   */
  private List<RuleSample> next(Map<Labels, ActiveAlert> found, Instant at, int limit)
      throws RuleFailedException {
    found.forEach((key, alert) -> {
      ActiveAlert known = active.get(key);
      if (known != null && known.state != AlertState.INACTIVE) {
        known.value = alert.value;
        known.annotations = alert.annotations;
      } else {
        active.put(key, alert);
      }
    });
    List<RuleSample> samples = new ArrayList<>();
    int going = 0;
    for (Iterator<ActiveAlert> alerts = active.values().iterator(); alerts.hasNext(); ) {
      ActiveAlert alert = alerts.next();
      if (found.containsKey(alert.labels)) {
        alert.keepFiringSince = null;
      } else if (!keepsFiring(alert, at)) {
        if (isForgotten(alert, at)) {
          alerts.remove();
        }
        if (alert.state != AlertState.INACTIVE) {
          alert.state = AlertState.INACTIVE;
          alert.resolvedAt = at;
        }
        continue;
      }
      going++;
      boolean held = Duration.between(alert.activeAt, at).compareTo(rule.hold()) >= 0;
      if (alert.state == AlertState.PENDING && held) {
        alert.state = AlertState.FIRING;
        alert.firedAt = at;
      }
      if (restored) {
        samples.add(sample(ALERTS, alert, alert.state.text(), 1));
        samples.add(sample(FOR_STATE, alert, "", (double) alert.activeAt.getEpochSecond()));
      }
    }
    if (limit > 0 && going > limit) {
      active.clear();
      throw new RuleFailedException("exceeded limit of %d with %d alerts".formatted(limit, going));
    }
    return samples;
  }

  /** Returns whether an alert whose series has disappeared keeps firing for a while. */
  private boolean keepsFiring(ActiveAlert alert, Instant at) {
    if (alert.state != AlertState.FIRING || rule.keepFiringFor().isZero()) {
      return false;
    }
    Instant since = alert.keepFiringSince;
    if (since == null) {
      since = at;
      alert.keepFiringSince = at;
    }
    return Duration.between(since, at).compareTo(rule.keepFiringFor()) < 0;
  }

  private static boolean isForgotten(ActiveAlert alert, Instant at) {
    Instant resolved = alert.resolvedAt;
    return alert.state == AlertState.PENDING
        || (resolved != null && Duration.between(resolved, at).compareTo(RESOLVED_RETENTION) > 0);
  }

  private static RuleSample sample(String name, ActiveAlert alert, String state, double value) {
    Map<String, String> own = alert.labels.toMap();
    own.put(Series.NAME_LABEL, name);
    if (!state.isEmpty()) {
      own.put(ALERT_STATE, state);
    }
    return new RuleSample(Labels.of(own), value);
  }

  /** Returns the alerts that are due to be sent. */
  List<AlertSink.Notification> notifications(Instant at, Duration interval) {
    List<AlertSink.Notification> sent = new ArrayList<>();
    Duration delay = settings.resendDelay();
    // The alert outlives two failed evaluations or notifications.
    Duration valid = (interval.compareTo(delay) > 0 ? interval : delay).multipliedBy(4);
    for (ActiveAlert alert : active.values()) {
      if (alert.needsSending(at, delay)) {
        alert.lastSentAt = at;
        Instant resolved = alert.resolvedAt;
        sent.add(
            new AlertSink.Notification(
                new TreeMap<>(alert.labels.toMap()),
                alert.annotations,
                alert.firedAt,
                resolved == null ? at.plus(valid) : resolved,
                settings.externalUrl() + Template.tableLink(rule.query())));
      }
    }
    return sent;
  }

  /** Runs the queries of the templates of one evaluation. */
  private record Asking(RuleQueries queries, Instant at, URI externalUrl)
      implements Template.Environment {
    @Override
    public List<Template.Sample> query(String expression) {
      try {
        return queries.instant(expression, at).stream()
            .map(element -> new Template.Sample(element.labels().toMap(), element.value()))
            .toList();
      } catch (RuleFailedException e) {
        throw new Template.QueryFailedException(String.valueOf(e.getMessage()));
      }
    }
  }
}

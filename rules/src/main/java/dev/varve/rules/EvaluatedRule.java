package dev.varve.rules;

import dev.varve.query.promql.eval.Labels;
import dev.varve.rules.GroupStatus.Health;
import dev.varve.rules.GroupStatus.RuleStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A rule with its state. Used by the thread of its group; {@link #status} by any thread. */
abstract sealed class EvaluatedRule permits EvaluatedRecording, EvaluatedAlerting {
  private record Outcome(Health health, String error, @Nullable Instant at, Duration took) {}

  private volatile Outcome outcome = new Outcome(Health.UNKNOWN, "", null, Duration.ZERO);

  /** The series written by the previous evaluation. */
  Set<Labels> written = Set.of();

  abstract Rule rule();

  /**
   * Evaluates the rule.
   *
   * @param at the time of the evaluation
   * @param offset how far before {@code at} the rule reads and writes
   * @param limit maximum number of series or alerts; 0 for no limit
   * @return the samples to write
   */
  abstract List<RuleSample> evaluate(RuleQueries queries, Instant at, Duration offset, int limit)
      throws RuleFailedException;

  /** Takes over the state of a rule of the same name and labels. */
  void takeOver(EvaluatedRule from) {
    written = from.written;
  }

  void ended(Instant at, Duration took, @Nullable String error) {
    outcome =
        new Outcome(error == null ? Health.OK : Health.ERROR, error == null ? "" : error, at, took);
  }

  List<GroupStatus.Alert> alerts() {
    return List.of();
  }

  RuleStatus status() {
    Outcome last = outcome;
    return new RuleStatus(rule(), last.health, last.error, last.at, last.took, alerts());
  }
}

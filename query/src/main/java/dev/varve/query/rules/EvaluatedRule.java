package dev.varve.query.rules;

import dev.varve.query.promql.eval.Labels;
import dev.varve.query.rules.GroupStatus.Health;
import dev.varve.query.rules.GroupStatus.RuleStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A rule and what it has given so far. Used by the thread of its group; {@link #status} by any. */
abstract sealed class EvaluatedRule permits EvaluatedRecording, EvaluatedAlerting {
  private record Outcome(Health health, String error, @Nullable Instant at, Duration took) {}

  private volatile Outcome outcome = new Outcome(Health.UNKNOWN, "", null, Duration.ZERO);

  /** The series of the evaluation before. */
  Set<Labels> written = Set.of();

  abstract Rule rule();

  /**
   * Works the rule out.
   *
   * @param at the time of the evaluation
   * @param offset how far before that it looks and writes
   * @param limit how many series or alerts it may give; 0 for any number
   * @return what is to be written
   */
  abstract List<RuleSample> evaluate(RuleQueries queries, Instant at, Duration offset, int limit)
      throws RuleFailedException;

  /** Takes over what another of the same name and labels has come to. */
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

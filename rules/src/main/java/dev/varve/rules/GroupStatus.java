package dev.varve.rules;

import dev.varve.query.promql.eval.Labels;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Status of a group.
 *
 * @param lastEvaluation start of the last evaluation; null if there was none
 * @param took duration of that evaluation
 * @param counts totals since the group was created
 */
public record GroupStatus(
    RuleGroup group,
    @Nullable Instant lastEvaluation,
    Duration took,
    Counts counts,
    List<RuleStatus> rules) {

  /**
   * Counts of a group.
   *
   * @param iterations evaluations of the group that were due
   * @param missed evaluations that were skipped because the previous one took too long
   * @param evaluations evaluations of rules
   * @param failures failed evaluations of rules
   * @param samples number of samples that the last evaluation returned
   * @param restored how long it took to restore the state from before the restart; null if it was
   *     not restored
   */
  public record Counts(
      long iterations,
      long missed,
      long evaluations,
      long failures,
      long samples,
      @Nullable Duration restored) {}

  /** Result of the last evaluation of a rule. */
  public enum Health {
    UNKNOWN("unknown"),
    OK("ok"),
    ERROR("err");

    private final String text;

    Health(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /**
   * Status of a rule.
   *
   * @param error empty if the rule is healthy
   * @param lastEvaluation null if there was none
   * @param alerts the pending and firing alerts
   */
  public record RuleStatus(
      Rule rule,
      Health health,
      String error,
      @Nullable Instant lastEvaluation,
      Duration took,
      List<Alert> alerts) {
    /** Returns the most severe state of its alerts. */
    public AlertState state() {
      AlertState state = AlertState.INACTIVE;
      for (Alert alert : alerts) {
        state = alert.state().compareTo(state) > 0 ? alert.state() : state;
      }
      return state;
    }
  }

  /**
   * A pending or firing alert.
   *
   * @param activeAt when its series appeared
   * @param keepFiringSince when its series disappeared, if the alert keeps firing; null while the
   *     series is present
   */
  public record Alert(
      Labels labels,
      SortedMap<String, String> annotations,
      AlertState state,
      Instant activeAt,
      @Nullable Instant keepFiringSince,
      double value) {}
}

package dev.varve.query.rules;

import dev.varve.query.promql.eval.Labels;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What has become of a group so far.
 *
 * @param lastEvaluation when the last one began; null where there was none
 * @param took how long that was
 * @param counts since the group is there
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
   * @param missed those of them that were left out because the one before took too long
   * @param evaluations of rules
   * @param failures of rules
   * @param samples that the last evaluation gave
   * @param restored how long it took to find the state from before the restart; null where it was
   *     not looked for
   */
  public record Counts(
      long iterations,
      long missed,
      long evaluations,
      long failures,
      long samples,
      @Nullable Duration restored) {}

  /** How the last evaluation of a rule has ended. */
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
   * What has become of a rule.
   *
   * @param error empty where all is well
   * @param lastEvaluation null where there was none
   * @param alerts those that are pending or fire
   */
  public record RuleStatus(
      Rule rule,
      Health health,
      String error,
      @Nullable Instant lastEvaluation,
      Duration took,
      List<Alert> alerts) {
    /** The furthest that any alert has come. */
    public AlertState state() {
      AlertState state = AlertState.INACTIVE;
      for (Alert alert : alerts) {
        state = alert.state().compareTo(state) > 0 ? alert.state() : state;
      }
      return state;
    }
  }

  /**
   * An alert that is pending or fires.
   *
   * @param activeAt since when its series is there
   * @param keepFiringSince since when the series is gone while the alert goes on; null where it is
   *     there
   */
  public record Alert(
      Labels labels,
      SortedMap<String, String> annotations,
      AlertState state,
      Instant activeAt,
      @Nullable Instant keepFiringSince,
      double value) {}
}

package dev.varve.rules;

import java.time.Instant;
import java.util.List;

/**
 * Evaluates groups on demand, one after another, without sending alerts. For unit tests of rules.
 * Not thread-safe.
 */
public final class RuleRehearsal {
  private static final EvaluatedGroup.Surroundings ALONE =
      new EvaluatedGroup.Surroundings() {
        @Override
        public AlertSink alerts() {
          return alerts -> {};
        }

        @Override
        public RuleListener listener() {
          return (group, rule, problem, cause) -> {
            switch (cause) {
              case null -> {}
              case RuntimeException e -> throw e;
              case Error e -> throw e;
              default -> throw new IllegalStateException(problem, cause);
            }
          };
        }

        @Override
        public void inTurn(RuleQueries queries, Runnable work) {
          work.run();
        }
      };

  private final List<EvaluatedGroup> groups;

  /** Prepares groups, in order of evaluation. */
  public RuleRehearsal(List<RuleGroup> groups, RuleStore store, RuleSettings settings) {
    this.groups =
        groups.stream()
            .map(group -> new EvaluatedGroup(group, store, settings, ALONE, true))
            .toList();
  }

  /** Evaluates all groups for a time. */
  public void evaluate(Instant at) {
    groups.forEach(group -> group.evaluate(at, at));
  }

  /** Returns the status of the groups. */
  public List<GroupStatus> groups() {
    return groups.stream().map(EvaluatedGroup::status).toList();
  }
}

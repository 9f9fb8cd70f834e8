package dev.varve.query.rules;

import java.time.Instant;
import java.util.List;

/**
 * Groups that are evaluated when their caller says, one after the other, and tell nobody: for tests
 * of rules. Not safe for use by several threads.
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

  /** Prepares groups, in the order in which they are evaluated. */
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

  /** What has become of them. */
  public List<GroupStatus> groups() {
    return groups.stream().map(EvaluatedGroup::status).toList();
  }
}

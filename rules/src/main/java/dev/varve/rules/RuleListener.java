package dev.varve.rules;

import org.jspecify.annotations.Nullable;

/** Receives failures of rules. Called by many threads. */
public interface RuleListener {
  /**
   * Called if a rule could not be evaluated, or its results could not be written.
   *
   * @param rule null if the failure does not concern a single rule
   * @param cause null if a user can fix the problem
   */
  void failed(RuleGroup group, @Nullable Rule rule, String problem, @Nullable Throwable cause);
}

package dev.varve.query.rules;

import org.jspecify.annotations.Nullable;

/** Is told of what goes wrong. Called by many threads. */
public interface RuleListener {
  /**
   * A rule could not be worked out, or what it gave could not be written.
   *
   * @param rule null where it is not one rule's
   * @param cause where the reason is none that a user can see to
   */
  void failed(RuleGroup group, @Nullable Rule rule, String problem, @Nullable Throwable cause);
}

package dev.varve.layout.guardrail;

import dev.varve.layout.guardrail.Rule.Severity;

/**
 * A finding of a guardrail.
 *
 * @param message the problem with its number and the threshold, and how to fix it
 */
public record Finding(Rule rule, String message) {
  public Severity severity() {
    return rule.severity();
  }

  /** Returns one line with rule and message. */
  @Override
  public String toString() {
    return rule.id() + ": " + message;
  }
}

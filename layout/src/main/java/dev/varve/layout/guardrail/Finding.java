package dev.varve.layout.guardrail;

import dev.varve.layout.guardrail.Rule.Severity;

/**
 * What a guardrail found.
 *
 * @param message what was found, with its number and the threshold, and what would be right
 */
public record Finding(Rule rule, String message) {
  public Severity severity() {
    return rule.severity();
  }

  /** One line: rule, then message. */
  @Override
  public String toString() {
    return rule.id() + ": " + message;
  }
}

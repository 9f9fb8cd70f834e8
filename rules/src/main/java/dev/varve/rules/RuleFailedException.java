package dev.varve.rules;

/** Thrown if a rule cannot be evaluated, for a reason that a user can fix. */
final class RuleFailedException extends Exception {
  private static final long serialVersionUID = 1;

  RuleFailedException(String message) {
    super(message);
  }
}

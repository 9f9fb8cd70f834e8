package dev.varve.query.rules;

/** A rule cannot be worked out, for a reason that a user can see to. */
final class RuleFailedException extends Exception {
  private static final long serialVersionUID = 1;

  RuleFailedException(String message) {
    super(message);
  }
}

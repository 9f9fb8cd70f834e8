package dev.varve.query.promql;

/**
 * Limits the nesting of the expressions of a query. The limit on the depth bounds the stack of the
 * parser, and the limit on the height bounds the stack of every later walk through the tree.
 */
final class Nesting {
  private final TokenReader tokens;

  /** Number of expressions that are being parsed. */
  private int depth;

  /** Height of the expression that was parsed last. */
  private int height;

  Nesting(TokenReader tokens) {
    this.tokens = tokens;
  }

  /** Begins an expression inside the current one. */
  void enter() {
    depth++;
    check(depth);
  }

  /** Ends the current expression. */
  void leave() {
    depth--;
  }

  int height() {
    return height;
  }

  /** Sets the height to that of an expression without operands. */
  void leaf() {
    height = 1;
  }

  /** Sets the height to that of an expression around the one that was parsed last. */
  void around() {
    around(height);
  }

  /** Sets the height to that of an expression whose highest operand is given. */
  void around(int operand) {
    height = operand + 1;
    check(height);
  }

  private void check(int reached) {
    if (reached > PromQl.DEPTH_MAX) {
      throw tokens.error(
          tokens.peek().source(),
          "expressions are nested more than %d levels deep".formatted(PromQl.DEPTH_MAX));
    }
  }
}

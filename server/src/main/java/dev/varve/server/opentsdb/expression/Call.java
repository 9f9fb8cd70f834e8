package dev.varve.server.opentsdb.expression;

import java.util.List;

/**
 * A call of a function in an expression of {@code /api/query/gexp}.
 *
 * @param inputs what it computes from, in order
 * @param parameters the other arguments, in order
 */
record Call(String function, List<Input> inputs, List<String> parameters) {
  /** Something with results. */
  sealed interface Input {}

  /** The results of another call. */
  record Nested(Call call) implements Input {}

  /**
   * The results of a query.
   *
   * @param index place among the queries of all expressions
   */
  record OfQuery(int index) implements Input {}
}

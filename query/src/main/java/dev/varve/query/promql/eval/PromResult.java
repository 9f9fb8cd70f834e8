package dev.varve.query.promql.eval;

import java.util.List;

/** Result of a query. */
public sealed interface PromResult {
  /** A number, at the time of the query. */
  record Scalar(long time, double value) implements PromResult {}

  /** A text, at the time of the query. */
  record Text(long time, String text) implements PromResult {}

  /**
   * Series with one value each.
   *
   * @param time the time of all values, in ms since 1970
   */
  record Vector(long time, List<Element> elements) implements PromResult {}

  record Element(Labels labels, double value) {}

  /** Series with values at several times, sorted by labels. */
  record Matrix(List<Line> lines) implements PromResult {}

  /**
   * A series.
   *
   * @param times in ms since 1970, ascending; as many as values
   */
  record Line(Labels labels, long[] times, double[] values) {}
}

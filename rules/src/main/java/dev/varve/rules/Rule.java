package dev.varve.rules;

import dev.varve.query.promql.Expr;
import dev.varve.query.promql.Printer;
import dev.varve.query.promql.PromQl;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** An expression that is evaluated periodically. */
public sealed interface Rule {
  String name();

  /** Returns the expression, as formatted by {@link Printer}. */
  String query();

  /** Returns the labels set on every series, including those of the group. */
  SortedMap<String, String> labels();

  /**
   * Records the result of an expression under a new name.
   *
   * @param name the metric of the recorded series
   */
  record Recording(String name, String query, SortedMap<String, String> labels) implements Rule {
    public Recording {
      query = printed(query);
      labels = sorted(labels);
    }
  }

  /**
   * Raises an alert for each series that the expression returns.
   *
   * @param hold how long the series must be present before the alert fires
   * @param keepFiringFor how long the alert keeps firing after the series disappears
   * @param labels templates
   * @param annotations templates
   */
  record Alerting(
      String name,
      String query,
      Duration hold,
      Duration keepFiringFor,
      SortedMap<String, String> labels,
      SortedMap<String, String> annotations)
      implements Rule {
    public Alerting {
      query = printed(query);
      labels = sorted(labels);
      annotations = sorted(annotations);
    }
  }

  /**
   * Formats an expression.
   *
   * @throws dev.varve.query.promql.PromQlException if the text is not a valid expression
   */
  private static String printed(String query) {
    Expr expr = PromQl.parse(query);
    return Printer.print(expr);
  }

  private static SortedMap<String, String> sorted(Map<String, String> labels) {
    return Collections.unmodifiableSortedMap(new TreeMap<>(labels));
  }
}

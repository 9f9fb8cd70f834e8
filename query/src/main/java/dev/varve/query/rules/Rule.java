package dev.varve.query.rules;

import dev.varve.query.promql.Expr;
import dev.varve.query.promql.Printer;
import dev.varve.query.promql.PromQl;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What is worked out again and again. */
public sealed interface Rule {
  String name();

  /** The expression, as {@link Printer} writes it. */
  String query();

  /** What is set on every series; those of the group among them. */
  SortedMap<String, String> labels();

  /**
   * Series under a new name.
   *
   * @param name of the metric
   */
  record Recording(String name, String query, SortedMap<String, String> labels) implements Rule {
    public Recording {
      query = printed(query);
      labels = sorted(labels);
    }
  }

  /**
   * An alert for every series that the expression gives.
   *
   * @param hold how long the series has to be there before the alert fires
   * @param keepFiringFor how long the alert fires on once the series is gone
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
   * An expression as it is shown.
   *
   * @throws dev.varve.query.promql.PromQlException if it is none
   */
  private static String printed(String query) {
    Expr expr = PromQl.parse(query);
    return Printer.print(expr);
  }

  private static SortedMap<String, String> sorted(Map<String, String> labels) {
    return Collections.unmodifiableSortedMap(new TreeMap<>(labels));
  }
}

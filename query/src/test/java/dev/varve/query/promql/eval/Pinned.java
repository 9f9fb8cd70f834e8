package dev.varve.query.promql.eval;

import dev.varve.query.promql.At;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.Modifiers;
import dev.varve.query.promql.Printer;
import dev.varve.query.promql.PromQl;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes expressions independent of the time of the query, by adding {@code @} to everything that
 * reads samples.
 */
final class Pinned {
  /** Functions that depend on the time of the query even if their arguments do not. */
  private static final Set<String> TIME_DEPENDENT =
      Set.of(
          "days_in_month",
          "day_of_month",
          "day_of_week",
          "day_of_year",
          "hour",
          "minute",
          "month",
          "predict_linear",
          "time",
          "timestamp",
          "year");

  private static final Pattern EDGE = Pattern.compile("@ (start|end)\\(\\)");

  private boolean ofTheTime;
  private final long time;

  private Pinned(long time) {
    this.time = time;
  }

  /**
   * Returns the expression with its selectors pinned to the time, or null if it depends on the
   * query's time anyway.
   */
  static @Nullable String at(String expression, long time) {
    Pinned pinned = new Pinned(time);
    Expr expr = pinned.pin(PromQl.parse(expression));
    return pinned.ofTheTime ? null : Printer.print(expr);
  }

  private Expr pin(Expr expr) {
    return switch (expr) {
      case Expr.NumberLiteral number -> number;
      case Expr.StringLiteral text -> text;
      case Expr.VectorSelector s -> pin(s);
      case Expr.MatrixSelector m ->
          new Expr.MatrixSelector(pin(m.selector()), m.range(), m.source());
      case Expr.Subquery s -> {
        // The inner expression follows the steps of the subquery, which are pinned.
        ofTheTime |= EDGE.matcher(Printer.print(s.expr())).find();
        yield new Expr.Subquery(s.expr(), s.range(), s.step(), pin(s.modifiers()), s.source());
      }
      case Expr.Paren p -> new Expr.Paren(pin(p.expr()), p.source());
      case Expr.Unary u -> new Expr.Unary(u.negative(), pin(u.expr()), u.source());
      case Expr.Binary b ->
          new Expr.Binary(
              b.operator(),
              pin(b.left()),
              pin(b.right()),
              b.bool(),
              b.matching(),
              b.operatorSource(),
              b.type());
      case Expr.Aggregate a -> {
        Expr parameter = a.parameter();
        yield new Expr.Aggregate(
            a.operator(),
            parameter == null ? null : pin(parameter),
            pin(a.expr()),
            a.labels(),
            a.without(),
            a.source());
      }
      case Expr.Call c -> {
        ofTheTime |= TIME_DEPENDENT.contains(c.function().text());
        yield new Expr.Call(
            c.function(), c.arguments().stream().map(this::pin).toList(), c.source());
      }
    };
  }

  private Expr.VectorSelector pin(Expr.VectorSelector s) {
    return new Expr.VectorSelector(s.name(), s.matchers(), pin(s.modifiers()), s.source());
  }

  private Modifiers pin(Modifiers modifiers) {
    // The start and the end depend on the query.
    ofTheTime |= modifiers.at() instanceof At.Edge;
    return modifiers.at() != null
        ? modifiers
        : new Modifiers(modifiers.offset(), new At.Time(time));
  }
}

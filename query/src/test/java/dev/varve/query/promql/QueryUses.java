package dev.varve.query.promql;

import dev.varve.query.promql.Expr.Aggregate;
import dev.varve.query.promql.Expr.Binary;
import dev.varve.query.promql.Expr.Call;
import dev.varve.query.promql.Expr.MatrixSelector;
import dev.varve.query.promql.Expr.NumberLiteral;
import dev.varve.query.promql.Expr.Paren;
import dev.varve.query.promql.Expr.StringLiteral;
import dev.varve.query.promql.Expr.Subquery;
import dev.varve.query.promql.Expr.Unary;
import dev.varve.query.promql.Expr.VectorSelector;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The functions, operators and syntactic forms that a query uses, by name. */
public final class QueryUses {
  private final Set<String> uses = new TreeSet<>();

  private QueryUses() {}

  /** Returns those of one query. */
  public static Set<String> of(Expr expr) {
    QueryUses uses = new QueryUses();
    uses.walk(expr);
    return uses.uses;
  }

  /** Returns all that exist. */
  public static Set<String> all() {
    Set<String> all = new TreeSet<>();
    Function.all().forEach(function -> calls(function, all));
    for (AggregateOperator operator : AggregateOperator.values()) {
      if (!operator.isExperimental()) {
        Stream.of("", " by", " without").forEach(form -> all.add(operator.text() + form));
      }
    }
    for (BinaryOperator operator : BinaryOperator.values()) {
      all.add("vector " + operator.text() + " vector");
      if (!operator.isSet()) {
        all.add("vector " + operator.text() + " scalar");
        all.add("scalar " + operator.text() + " vector");
        all.add("scalar " + operator.text() + (operator.isComparison() ? " bool" : "") + " scalar");
      }
      if (operator.isComparison()) {
        all.add("vector " + operator.text() + " bool vector");
        all.add("vector " + operator.text() + " bool scalar");
        all.add("scalar " + operator.text() + " bool vector");
      }
    }
    for (String side : List.of("on", "ignoring")) {
      Stream.of("", " group_left", " group_right", " group_left (label)", " group_right (label)")
          .forEach(grouping -> all.add(side + grouping));
      Stream.of(" and", " or", " unless").forEach(operator -> all.add(side + operator));
    }
    Arrays.stream(LabelMatcher.Operator.values())
        .forEach(operator -> all.add("matcher " + operator.text()));
    all.addAll(
        List.of(
            "number",
            "duration as number",
            "string",
            "range",
            "subquery",
            "subquery with step",
            "offset",
            "offset -",
            "@ time",
            "@ start()",
            "@ end()",
            "-x",
            "+x"));
    return all;
  }

  private static void calls(Function function, Set<String> all) {
    all.add(function.text() + "()");
    if (function.variadic() != 0) {
      for (int n = function.argumentsMin(); n <= severalArguments(function); n++) {
        all.add(call(function, n));
      }
    }
  }

  /** Includes the number of arguments if it varies: zero, one or several if there is no limit. */
  private static String call(Function function, int arguments) {
    int several = severalArguments(function);
    return "%s() of %d%s"
        .formatted(
            function.text(),
            Math.min(arguments, several),
            function.variadic() < 0 && arguments >= several ? " or more" : "");
  }

  private static int severalArguments(Function function) {
    return Math.min(function.argumentsMax(), function.argumentsMin() + 2);
  }

  private void walk(Expr expr) {
    switch (expr) {
      case NumberLiteral number -> uses.add(number.duration() ? "duration as number" : "number");
      case StringLiteral string -> uses.add("string");
      case VectorSelector selector -> selector(selector);
      case MatrixSelector matrix -> {
        uses.add("range");
        selector(matrix.selector());
      }
      case Subquery subquery -> {
        uses.add(subquery.step() == null ? "subquery" : "subquery with step");
        modifiers(subquery.modifiers());
        walk(subquery.expr());
      }
      case Paren paren -> walk(paren.expr());
      case Unary unary -> {
        uses.add(unary.negative() ? "-x" : "+x");
        walk(unary.expr());
      }
      case Binary binary -> binary(binary);
      case Aggregate aggregate -> aggregate(aggregate);
      case Call call -> {
        uses.add(call.function().text() + "()");
        if (call.function().variadic() != 0) {
          uses.add(call(call.function(), call.arguments().size()));
        }
        call.arguments().forEach(this::walk);
      }
    }
  }

  private void selector(VectorSelector selector) {
    selector.matchers().forEach(matcher -> uses.add("matcher " + matcher.operator().text()));
    modifiers(selector.modifiers());
  }

  private void modifiers(Modifiers modifiers) {
    if (!modifiers.offset().isZero()) {
      uses.add(modifiers.offset().isNegative() ? "offset -" : "offset");
    }
    switch (modifiers.at()) {
      case null -> {}
      case At.Time time -> uses.add("@ time");
      case At.Edge edge -> uses.add("@ " + edge.text() + "()");
    }
  }

  private void aggregate(Aggregate aggregate) {
    String form = aggregate.without() ? " without" : aggregate.labels().isEmpty() ? "" : " by";
    uses.add(aggregate.operator().text() + form);
    if (aggregate.parameter() != null) {
      walk(aggregate.parameter());
    }
    walk(aggregate.expr());
  }

  private void binary(Binary binary) {
    uses.add(
        binary.left().type().text()
            + " "
            + binary.operator().text()
            + (binary.bool() ? " bool " : " ")
            + binary.right().type().text());
    VectorMatching matching = binary.matching();
    if (matching != null) {
      String side = matching.on() ? "on" : "ignoring";
      String include = matching.include().isEmpty() ? "" : " (label)";
      uses.add(
          switch (matching.cardinality()) {
            case ONE_TO_ONE -> side;
            case MANY_TO_ONE -> side + " group_left" + include;
            case ONE_TO_MANY -> side + " group_right" + include;
            case MANY_TO_MANY -> side + " " + binary.operator().text();
          });
    }
    walk(binary.left());
    walk(binary.right());
  }

  /** Returns every part of a query, starting with the whole. */
  public static Stream<Expr> parts(Expr expr) {
    Stream<Expr> inner =
        switch (expr) {
          case NumberLiteral number -> Stream.of();
          case StringLiteral string -> Stream.of();
          case VectorSelector selector -> Stream.of();
          case MatrixSelector matrix -> Stream.of(matrix.selector());
          case Subquery subquery -> Stream.of(subquery.expr());
          case Paren paren -> Stream.of(paren.expr());
          case Unary unary -> Stream.of(unary.expr());
          case Binary binary -> Stream.of(binary.left(), binary.right());
          case Aggregate aggregate ->
              Stream.concat(Stream.ofNullable(aggregate.parameter()), Stream.of(aggregate.expr()));
          case Call call -> call.arguments().stream();
        };
    return Stream.concat(Stream.of(expr), inner.flatMap(QueryUses::parts));
  }
}

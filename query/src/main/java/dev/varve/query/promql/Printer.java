package dev.varve.query.promql;

import dev.varve.formats.number.GoNumber;
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
import java.math.BigDecimal;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;

/**
 * Formats a tree in one line, as Prometheus does. Parsing the result yields the same tree, except
 * that matchers are sorted. Prometheus itself loses information in a few cases (quoted labels after
 * {@code on}, a {@code group_left} after an empty {@code ignoring}, ranges finer than a
 * millisecond); these are formatted correctly here.
 */
public final class Printer {
  /** Maximum length of the result: numbers may grow, and deep nesting adds many spaces. */
  static final int CHARACTERS_MAX = 16 << 20;

  private final StringBuilder out = new StringBuilder();
  private final IdentityHashMap<Expr, SourceRange> ranges = new IdentityHashMap<>();

  Printer() {}

  /**
   * Formats an expression.
   *
   * @throws IllegalArgumentException if the result has more than 16 Mi characters
   */
  public static String print(Expr expr) {
    Printer printer = new Printer();
    printer.write(expr);
    return printer.line();
  }

  /** Returns the text written so far. */
  String line() {
    return out.toString();
  }

  /** Returns the characters of the line that belong to an expression. */
  SourceRange range(Expr expr) {
    return Objects.requireNonNull(ranges.get(expr));
  }

  void write(Expr expr) {
    int start = out.length();
    checkLength(out);
    content(expr);
    ranges.put(expr, new SourceRange(start, out.length()));
  }

  static void checkLength(StringBuilder text) {
    if (text.length() > CHARACTERS_MAX) {
      throw new IllegalArgumentException(
          "the formatted query has more than %d characters".formatted(CHARACTERS_MAX));
    }
  }

  private void content(Expr expr) {
    switch (expr) {
      case NumberLiteral number ->
          out.append(
              number.duration() ? Durations.text(number.value()) : GoNumber.plain(number.value()));
      case StringLiteral string -> Quoting.quote(string.value(), out);
      case VectorSelector selector -> {
        matchers(selector);
        modifiers(selector.modifiers(), out);
      }
      case MatrixSelector matrix -> {
        matchers(matrix.selector());
        out.append('[').append(Durations.text(matrix.range())).append(']');
        modifiers(matrix.selector().modifiers(), out);
      }
      case Subquery subquery -> {
        write(subquery.expr());
        suffix(subquery, out);
      }
      case Paren paren -> {
        out.append('(');
        write(paren.expr());
        out.append(')');
      }
      case Unary unary -> {
        out.append(sign(unary));
        write(unary.expr());
      }
      case Binary binary -> {
        left(binary);
        out.append(' ');
        operator(binary, out);
        out.append(' ');
        write(binary.right());
      }
      case Aggregate aggregate -> {
        head(aggregate, out);
        out.append('(');
        Expr parameter = aggregate.parameter();
        if (parameter != null) {
          write(parameter);
          out.append(", ");
        }
        write(aggregate.expr());
        out.append(')');
      }
      case Call call -> {
        out.append(call.function().text()).append('(');
        for (int i = 0; i < call.arguments().size(); i++) {
          out.append(i == 0 ? "" : ", ");
          write(call.arguments().get(i));
        }
        out.append(')');
      }
    }
  }

  static char sign(Unary unary) {
    return unary.negative() ? '-' : '+';
  }

  private void matchers(VectorSelector selector) {
    out.append(selector.name());
    List<String> texts =
        selector.matchers().stream()
            .filter(matcher -> selector.name().isEmpty() || !matcher.isMetric(selector.name()))
            .map(Printer::matcher)
            .sorted()
            .toList();
    if (!texts.isEmpty() || selector.name().isEmpty()) {
      out.append('{').append(String.join(",", texts)).append('}');
    }
  }

  private static String matcher(LabelMatcher matcher) {
    StringBuilder text = new StringBuilder();
    if (isIdentifier(matcher.name(), false)) {
      text.append(matcher.name());
    } else {
      Quoting.quote(matcher.name(), text);
    }
    text.append(matcher.operator().text());
    Quoting.quote(matcher.value(), text);
    return text.toString();
  }

  private static boolean isIdentifier(String name, boolean colons) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean letter =
          c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (colons && c == ':');
      if (!letter && !(i > 0 && c >= '0' && c <= '9')) {
        return false;
      }
    }
    return !name.isEmpty();
  }

  private static void modifiers(Modifiers modifiers, StringBuilder out) {
    switch (modifiers.at()) {
      case null -> {}
      case At.Time time -> out.append(" @ ").append(seconds(time.epochMillis()));
      case At.Edge edge -> out.append(" @ ").append(edge.text()).append("()");
    }
    if (!modifiers.offset().isZero()) {
      out.append(" offset ").append(Durations.text(modifiers.offset()));
    }
  }

  private static String seconds(long millis) {
    return BigDecimal.valueOf(millis, 3).toPlainString();
  }

  /** Writes the range, step and modifiers of a subquery. */
  static void suffix(Subquery subquery, StringBuilder out) {
    Duration step = subquery.step();
    out.append('[').append(Durations.text(subquery.range())).append(':');
    out.append(step == null ? "" : Durations.text(step)).append(']');
    modifiers(subquery.modifiers(), out);
  }

  /** Writes the left operand. */
  private void left(Binary binary) {
    int start = out.length();
    write(binary.left());
    boolean number = binary.left() instanceof NumberLiteral;
    if (binary.operator() == BinaryOperator.POWER && number && out.charAt(start) == '+') {
      // A power binds more closely than a sign, which would apply to the whole power.
      out.deleteCharAt(start);
      ranges.put(binary.left(), new SourceRange(start, out.length()));
    }
  }

  static void operator(Binary binary, StringBuilder out) {
    out.append(binary.operator().text());
    if (binary.bool()) {
      out.append(" bool");
    }
    VectorMatching matching = binary.matching();
    if (matching == null
        || (matching.labels().isEmpty() && !matching.on() && !matching.isGrouped())) {
      return;
    }
    out.append(matching.on() ? " on " : " ignoring ");
    labels(matching.labels(), out);
    if (matching.isGrouped()) {
      boolean left = matching.cardinality() == VectorMatching.Cardinality.MANY_TO_ONE;
      out.append(left ? " group_left " : " group_right ");
      labels(matching.include(), out);
    }
  }

  /** Writes an aggregation up to its arguments. */
  static void head(Aggregate aggregate, StringBuilder out) {
    out.append(aggregate.operator().text());
    if (aggregate.without() || !aggregate.labels().isEmpty()) {
      out.append(aggregate.without() ? " without " : " by ");
      labels(aggregate.labels(), out);
      out.append(' ');
    }
  }

  private static void labels(List<String> labels, StringBuilder out) {
    out.append('(');
    for (int i = 0; i < labels.size(); i++) {
      String label = labels.get(i);
      out.append(i == 0 ? "" : ", ");
      if (isIdentifier(label, true) && TokenKind.ofWord(label).isLabelName()) {
        out.append(label);
      } else {
        Quoting.quote(label, out);
      }
    }
    out.append(')');
  }
}

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
import java.nio.charset.StandardCharsets;

/**
 * Formats a tree in lines, as Prometheus 3.5 does: an expression of more than {@link #LINE_MAX}
 * bytes is split, with its parts indented by two spaces.
 */
public final class PrettyPrinter {
  /** Maximum size of an expression in one line, in bytes without its indentation. */
  static final int LINE_MAX = 100;

  private static final String INDENT = "  ";

  private final Printer printer = new Printer();
  private final StringBuilder out = new StringBuilder();
  private final String line;

  /** Whether a sign precedes, so that the next expression is not indented. */
  private boolean signed;

  private PrettyPrinter(Expr expr) {
    printer.write(expr);
    line = printer.line();
  }

  /**
   * Formats an expression.
   *
   * @throws IllegalArgumentException if the result has more than 16 Mi characters
   */
  public static String print(Expr expr) {
    PrettyPrinter pretty = new PrettyPrinter(expr);
    pretty.write(expr, 0);
    return pretty.out.toString();
  }

  private void write(Expr expr, int level) {
    Printer.checkLength(out);
    switch (expr) {
      case NumberLiteral number -> whole(number, level);
      case StringLiteral string -> whole(string, level);
      case VectorSelector selector -> whole(selector, level);
      case MatrixSelector matrix -> whole(matrix, level);
      case Subquery subquery -> subquery(subquery, level);
      case Unary unary -> {
        indent(level);
        out.append(Printer.sign(unary));
        signed = true;
        write(unary.expr(), level);
      }
      case Binary binary -> binary(binary, level);
      case Paren paren -> {
        if (!fits(paren, level)) {
          indent(level);
          out.append("(\n");
          write(paren.expr(), level + 1);
          close(level);
        }
      }
      case Aggregate aggregate -> aggregate(aggregate, level);
      case Call call -> call(call, level);
    }
  }

  /** Writes an expression that is never split. */
  private void whole(Expr expr, int level) {
    SourceRange range = printer.range(expr);
    indent(level);
    out.append(line, range.start(), range.end());
  }

  /** Writes an expression if it fits in one line. */
  private boolean fits(Expr expr, int level) {
    boolean fits = !isLong(expr);
    if (fits) {
      whole(expr, level);
    }
    return fits;
  }

  private boolean isLong(Expr expr) {
    SourceRange range = printer.range(expr);
    return range.end() - range.start() > LINE_MAX
        || line.substring(range.start(), range.end()).getBytes(StandardCharsets.UTF_8).length
            > LINE_MAX;
  }

  private void indent(int level) {
    if (!signed) {
      out.repeat(INDENT, level);
    }
    signed = false;
  }

  private void close(int level) {
    out.append('\n');
    indent(level);
    out.append(')');
  }

  /** A subquery that fits in one line is not indented, at any level, as in Prometheus. */
  private void subquery(Subquery subquery, int level) {
    if (!isLong(subquery)) {
      whole(subquery, 0);
      return;
    }
    write(subquery.expr(), level);
    Printer.suffix(subquery, out);
  }

  private void binary(Binary binary, int level) {
    if (fits(binary, level)) {
      return;
    }
    write(binary.left(), level + 1);
    out.append('\n');
    indent(level);
    Printer.operator(binary, out);
    out.append('\n');
    write(binary.right(), level + 1);
  }

  private void aggregate(Aggregate aggregate, int level) {
    if (fits(aggregate, level)) {
      return;
    }
    indent(level);
    Printer.head(aggregate, out);
    out.append("(\n");
    Expr parameter = aggregate.parameter();
    if (parameter != null) {
      write(parameter, level + 1);
      out.append(",\n");
    }
    write(aggregate.expr(), level + 1);
    close(level);
  }

  private void call(Call call, int level) {
    if (fits(call, level)) {
      return;
    }
    indent(level);
    out.append(call.function().text()).append("(\n");
    for (int i = 0; i < call.arguments().size(); i++) {
      out.append(i == 0 ? "" : ",\n");
      write(call.arguments().get(i), level + 1);
    }
    close(level);
  }
}

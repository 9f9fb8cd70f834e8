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
 * Lays a tree out in lines, as Prometheus 3.5 does: what is longer than {@link #LINE_MAX} bytes in
 * one line is taken apart, with what it is made of two spaces further in.
 */
public final class PrettyPrinter {
  /** What may stand in one line, in bytes, not counting what stands before it. */
  static final int LINE_MAX = 100;

  private static final String INDENT = "  ";

  private final Printer printer = new Printer();
  private final StringBuilder out = new StringBuilder();
  private final String line;

  /** Whether what follows stands behind a sign, and so not further in. */
  private boolean signed;

  private PrettyPrinter(Expr expr) {
    printer.write(expr);
    line = printer.line();
  }

  /**
   * Lays an expression out.
   *
   * @throws IllegalArgumentException if it comes to more than 16 Mi characters
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

  /** Writes what is never taken apart. */
  private void whole(Expr expr, int level) {
    SourceRange place = printer.place(expr);
    indent(level);
    out.append(line, place.start(), place.end());
  }

  /** Writes an expression if there is room for it in one line. */
  private boolean fits(Expr expr, int level) {
    boolean fits = !isLong(expr);
    if (fits) {
      whole(expr, level);
    }
    return fits;
  }

  private boolean isLong(Expr expr) {
    SourceRange place = printer.place(expr);
    return place.end() - place.start() > LINE_MAX
        || line.substring(place.start(), place.end()).getBytes(StandardCharsets.UTF_8).length
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

  /** One that fits begins at the margin, however deep it stands: so does Prometheus have it. */
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
    out.append(call.function().name()).append("(\n");
    for (int i = 0; i < call.arguments().size(); i++) {
      out.append(i == 0 ? "" : ",\n");
      write(call.arguments().get(i), level + 1);
    }
    close(level);
  }
}

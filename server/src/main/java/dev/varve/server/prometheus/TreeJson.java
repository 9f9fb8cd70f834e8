package dev.varve.server.prometheus;

import dev.varve.formats.number.GoNumber;
import dev.varve.query.promql.At;
import dev.varve.query.promql.Expr;
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
import dev.varve.query.promql.Function;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.Modifiers;
import dev.varve.query.promql.ValueType;
import dev.varve.query.promql.VectorMatching;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Writes the syntax tree of a query in the format of Prometheus' web interface. Durations are in
 * milliseconds; the fields of an object are in alphabetical order.
 */
final class TreeJson {
  private TreeJson() {}

  static void write(Expr expr, JsonGenerator json) {
    json.writeStartObject();
    switch (expr) {
      case NumberLiteral number -> {
        json.writeStringProperty("type", "numberLiteral");
        json.writeStringProperty("val", GoNumber.plain(number.value()));
      }
      case StringLiteral string -> {
        json.writeStringProperty("type", "stringLiteral");
        json.writeStringProperty("val", string.value());
      }
      case VectorSelector selector -> selector(selector, null, "vectorSelector", json);
      case MatrixSelector matrix ->
          selector(matrix.selector(), matrix.range(), "matrixSelector", json);
      case Subquery subquery -> subquery(subquery, json);
      case Paren paren -> {
        write("expr", paren.expr(), json);
        json.writeStringProperty("type", "parenExpr");
      }
      case Unary unary -> {
        write("expr", unary.expr(), json);
        json.writeStringProperty("op", unary.negative() ? "-" : "+");
        json.writeStringProperty("type", "unaryExpr");
      }
      case Binary binary -> binary(binary, json);
      case Aggregate aggregate -> aggregate(aggregate, json);
      case Call call -> call(call, json);
    }
    json.writeEndObject();
  }

  private static void write(String name, @Nullable Expr expr, JsonGenerator json) {
    json.writeName(name);
    if (expr == null) {
      json.writeNull();
    } else {
      write(expr, json);
    }
  }

  private static void selector(
      VectorSelector selector, @Nullable Duration range, String type, JsonGenerator json) {
    json.writeArrayPropertyStart("matchers");
    for (LabelMatcher matcher : selector.matchers()) {
      json.writeStartObject();
      json.writeStringProperty("name", matcher.name());
      json.writeStringProperty("type", matcher.operator().text());
      json.writeStringProperty("value", matcher.value());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeStringProperty("name", selector.name());
    Modifiers modifiers = selector.modifiers();
    json.writeNumberProperty("offset", modifiers.offset().toMillis());
    if (range != null) {
      json.writeNumberProperty("range", range.toMillis());
    }
    startOrEnd(modifiers, json);
    timestamp(modifiers, json);
    json.writeStringProperty("type", type);
  }

  private static void subquery(Subquery subquery, JsonGenerator json) {
    write("expr", subquery.expr(), json);
    Modifiers modifiers = subquery.modifiers();
    json.writeNumberProperty("offset", modifiers.offset().toMillis());
    json.writeNumberProperty("range", subquery.range().toMillis());
    startOrEnd(modifiers, json);
    Duration step = subquery.step();
    json.writeNumberProperty("step", step == null ? 0 : step.toMillis());
    timestamp(modifiers, json);
    json.writeStringProperty("type", "subquery");
  }

  private static void startOrEnd(Modifiers modifiers, JsonGenerator json) {
    if (modifiers.at() instanceof At.Edge edge) {
      json.writeStringProperty("startOrEnd", edge.text());
    } else {
      json.writeNullProperty("startOrEnd");
    }
  }

  private static void timestamp(Modifiers modifiers, JsonGenerator json) {
    if (modifiers.at() instanceof At.Time time) {
      json.writeNumberProperty("timestamp", time.epochMillis());
    } else {
      json.writeNullProperty("timestamp");
    }
  }

  private static void binary(Binary binary, JsonGenerator json) {
    json.writeBooleanProperty("bool", binary.bool());
    write("lhs", binary.left(), json);
    VectorMatching matching = binary.matching();
    if (matching == null) {
      json.writeNullProperty("matching");
    } else {
      json.writeObjectPropertyStart("matching");
      json.writeStringProperty("card", matching.cardinality().text());
      strings("include", matching.include(), json);
      strings("labels", matching.labels(), json);
      json.writeBooleanProperty("on", matching.on());
      json.writeEndObject();
    }
    json.writeStringProperty("op", binary.operator().text());
    write("rhs", binary.right(), json);
    json.writeStringProperty("type", "binaryExpr");
  }

  private static void aggregate(Aggregate aggregate, JsonGenerator json) {
    write("expr", aggregate.expr(), json);
    strings("grouping", aggregate.labels(), json);
    json.writeStringProperty("op", aggregate.operator().text());
    write("param", aggregate.parameter(), json);
    json.writeStringProperty("type", "aggregation");
    json.writeBooleanProperty("without", aggregate.without());
  }

  private static void call(Call call, JsonGenerator json) {
    json.writeArrayPropertyStart("args");
    for (Expr argument : call.arguments()) {
      write(argument, json);
    }
    json.writeEndArray();
    Function function = call.function();
    json.writeObjectPropertyStart("func");
    strings("argTypes", function.argumentTypes().stream().map(ValueType::text).toList(), json);
    json.writeStringProperty("name", function.text());
    json.writeStringProperty("returnType", function.returnType().text());
    json.writeNumberProperty("variadic", function.variadic());
    json.writeEndObject();
    json.writeStringProperty("type", "call");
  }

  private static void strings(String name, List<String> values, JsonGenerator json) {
    json.writeArrayPropertyStart(name);
    values.forEach(json::writeString);
    json.writeEndArray();
  }
}

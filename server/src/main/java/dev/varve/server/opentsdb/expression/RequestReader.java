package dev.varve.server.opentsdb.expression;

import dev.varve.server.opentsdb.expression.Request.Downsampler;
import dev.varve.server.opentsdb.expression.Request.Expression;
import dev.varve.server.opentsdb.expression.Request.FillPolicy;
import dev.varve.server.opentsdb.expression.Request.Join;
import dev.varve.server.opentsdb.expression.Request.Metric;
import dev.varve.server.opentsdb.expression.Request.NamedFilter;
import dev.varve.server.opentsdb.expression.Request.Output;
import dev.varve.server.opentsdb.expression.Request.Span;
import dev.varve.server.opentsdb.query.Fill;
import dev.varve.server.opentsdb.query.JsonBody;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import dev.varve.server.opentsdb.query.QueryBody;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads the body of {@code /api/query/exp}. */
final class RequestReader {
  private RequestReader() {}

  /**
   * Reads a request.
   *
   * @throws OpenTsdbError 400 if the JSON has another structure, 500 if the time is missing
   */
  static Request read(JsonBody body) {
    JsonBody time = body.object("time");
    if (time == null) {
      throw new OpenTsdbError(500, "missing time");
    }
    boolean outputs = body.has("outputs");
    return new Request(
        body.text("name"),
        span(time),
        body.objects("filters").stream().map(RequestReader::filter).toList(),
        body.objects("metrics").stream().map(RequestReader::metric).toList(),
        body.objects("expressions").stream().map(RequestReader::expression).toList(),
        outputs ? body.objects("outputs").stream().map(RequestReader::output).toList() : null);
  }

  private static Span span(JsonBody time) {
    JsonBody spec = time.object("downsampler");
    return new Span(
        time.text("start"),
        time.text("end"),
        time.text("timezone"),
        spec == null
            ? null
            : new Downsampler(
                spec.text("interval"), spec.text("aggregator"), fill(spec.object("fillPolicy"))),
        time.text("aggregator"),
        time.is("rate"));
  }

  private static NamedFilter filter(JsonBody body) {
    return new NamedFilter(
        body.text("id"), QueryBody.filters(body.objects("tags")), body.is("explicitTags"));
  }

  private static Metric metric(JsonBody body) {
    return new Metric(
        body.text("metric"),
        body.text("id"),
        body.text("filter"),
        body.text("aggregator"),
        body.text("timeOffset"),
        fill(body.object("fillPolicy")));
  }

  private static Expression expression(JsonBody body) {
    JsonBody join = body.object("join");
    return new Expression(
        body.text("id"),
        body.text("expr"),
        join == null ? Join.DEFAULT : join(join),
        fill(body.object("fillPolicy")));
  }

  private static Join join(JsonBody body) {
    String operator = body.text("operator");
    String word = operator == null ? "union" : operator.toLowerCase(Locale.ROOT);
    if (!word.equals("union") && !word.equals("intersection")) {
      throw JsonBody.wrong("'operator' is union or intersection, not " + operator);
    }
    return new Join(
        word.equals("intersection"),
        body.is("useQueryTags"),
        body.text("includeAggTags") == null || body.is("includeAggTags"));
  }

  private static Output output(JsonBody body) {
    return new Output(body.text("id"), body.text("alias"));
  }

  private static @Nullable FillPolicy fill(@Nullable JsonBody body) {
    if (body == null) {
      return null;
    }
    double value = body.number("value", 0);
    try {
      String policy = body.text("policy");
      Fill fill = policy == null ? ofValue(value) : Fill.of(policy);
      return switch (fill) {
        case ZERO ->
            new FillPolicy(fill, with(value, value == 0, 0, "The value for ZERO must be 0"));
        case SCALAR -> new FillPolicy(fill, value);
        case NONE, NAN, NULL ->
            new FillPolicy(
                fill,
                with(
                    value,
                    value == 0 || Double.isNaN(value),
                    Double.NaN,
                    fill == Fill.NULL
                        ? "The value for NULL must be 0"
                        : "The value for NONE and NAN must be NaN"));
      };
    } catch (IllegalArgumentException e) {
      throw JsonBody.wrong(String.valueOf(e.getMessage()));
    }
  }

  private static Fill ofValue(double value) {
    return value == 0 ? Fill.ZERO : Double.isNaN(value) ? Fill.NAN : Fill.SCALAR;
  }

  private static double with(double given, boolean fits, double taken, String ifNot) {
    if (!fits) {
      throw new IllegalArgumentException("%s, not %s".formatted(ifNot, given));
    }
    return taken;
  }
}

package dev.varve.server.prometheus;

import dev.varve.engine.Dataset;
import dev.varve.query.promql.eval.PromQuery;
import dev.varve.query.promql.eval.PromResult;
import dev.varve.query.promql.eval.PromSettings;
import dev.varve.query.promql.plan.StepTimes;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import tools.jackson.core.JsonGenerator;

/** {@code /api/v1/query} and {@code /api/v1/query_range}. */
final class Queries {
  private final DialectContext context;

  Queries(DialectContext context) {
    this.context = context;
  }

  void instant(Exchange exchange) throws IOException {
    Parameters parameters = Parameters.of(exchange);
    Long time = parameters.time("time");
    long at = time == null ? context.clock().millis() : time;
    run(exchange, parameters, query -> query.instant(at));
  }

  void range(Exchange exchange) throws IOException {
    Parameters parameters = Parameters.of(exchange);
    long start = parameters.requiredTime("start");
    long end = parameters.requiredTime("end");
    if (end < start) {
      throw Parameters.invalid("end", "end timestamp must not be before start time");
    }
    Duration step = parameters.requiredDuration("step");
    if (step.toMillis() <= 0) {
      throw Parameters.invalid(
          "step",
          "zero or negative query resolution step widths are not accepted. Try a positive integer");
    }
    long steps = (end - start) / step.toMillis() + 1;
    if (steps > StepTimes.OF_RANGE_MAX) {
      throw HttpError.badRequest(PromQuery.tooManySteps(steps));
    }
    run(exchange, parameters, query -> query.range(start, end, step));
  }

  private void run(
      Exchange exchange, Parameters parameters, Function<PromQuery, PromResult> evaluation)
      throws IOException {
    Dataset dataset = context.dataset(exchange);
    String text = parameters.text("query");
    PromSettings settings = settings(parameters);
    int limit = parameters.limit();
    Limited.query(
        context,
        exchange,
        dataset,
        "promql",
        text == null ? "" : text,
        parameters,
        use -> {
          PromQuery query = new PromQuery(text == null ? "" : text, dataset, use, settings);
          answer(exchange, query, evaluation.apply(query), limit, use);
        });
  }

  private static void answer(
      Exchange exchange, PromQuery query, PromResult result, int limit, QueryUse use)
      throws IOException {
    use.evaluated();
    List<String> warnings = new ArrayList<>(query.notes().warnings());
    if (ResultJson.shown(ResultJson.size(result), limit) < ResultJson.size(result)) {
      warnings.add("results truncated due to limit");
    }
    Envelope.answer(
        exchange,
        json -> ResultJson.write(result, limit, json, use),
        json -> {
          notes("warnings", warnings, json);
          notes("infos", query.notes().infos(), json);
        });
  }

  private static void notes(String name, List<String> notes, JsonGenerator json) {
    if (!notes.isEmpty()) {
      json.writeArrayPropertyStart(name);
      notes.forEach(json::writeString);
      json.writeEndArray();
    }
  }

  private static PromSettings settings(Parameters parameters) {
    PromSettings settings = PromSettings.DEFAULTS;
    Duration lookback = parameters.duration("lookback_delta");
    return lookback == null || !lookback.isPositive()
        ? settings
        : new PromSettings(lookback, settings.subqueryStep());
  }
}

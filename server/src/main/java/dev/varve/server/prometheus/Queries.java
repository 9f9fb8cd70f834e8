package dev.varve.server.prometheus;

import dev.varve.engine.Dataset;
import dev.varve.engine.QueryRefusedException;
import dev.varve.query.Runs;
import dev.varve.query.promql.PromQlException;
import dev.varve.query.promql.eval.PromLimits;
import dev.varve.query.promql.eval.PromQlEvaluationException;
import dev.varve.query.promql.eval.PromQuery;
import dev.varve.query.promql.eval.PromResult;
import dev.varve.server.DialectContext;
import dev.varve.server.http.ErrorFormat;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.store.ReadCancelledException;
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
    if ((end - start) / step.toMillis() >= PromQuery.STEPS_MAX) {
      throw HttpError.badRequest(
          "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)");
    }
    run(exchange, parameters, query -> query.range(start, end, step));
  }

  private void run(
      Exchange exchange, Parameters parameters, Function<PromQuery, PromResult> evaluation)
      throws IOException {
    Dataset dataset = context.dataset(exchange);
    String text = parameters.text("query");
    PromQuery query;
    try {
      query = new PromQuery(text == null ? "" : text, Runs.of(dataset), limits(parameters));
    } catch (PromQlException e) {
      throw Parameters.invalid("query", e.getMessage());
    }
    int limit = parameters.limit();
    Duration timeout = parameters.duration("timeout");
    if (timeout != null) {
      exchange.limitTime(timeout);
      if (!timeout.isPositive()) {
        timedOut(exchange, Duration.ZERO);
        return;
      }
    }
    long begun = System.nanoTime();
    exchange.onAbort(query::cancel);
    PromResult result;
    try {
      result = evaluation.apply(query);
    } catch (ReadCancelledException e) {
      if (!exchange.timedOut()) {
        throw e;
      }
      timedOut(exchange, Duration.ofNanos(System.nanoTime() - begun));
      return;
    } catch (PromQlEvaluationException | QueryRefusedException e) {
      throw new HttpError(422, String.valueOf(e.getMessage()));
    }
    List<String> warnings = new ArrayList<>(query.notes().warnings());
    if (ResultJson.shown(ResultJson.size(result), limit) < ResultJson.size(result)) {
      warnings.add("results truncated due to limit");
    }
    Envelope.answer(
        exchange,
        json -> ResultJson.write(result, limit, json),
        json -> {
          notes("warnings", warnings, json);
          notes("infos", query.notes().infos(), json);
        });
  }

  private static void timedOut(Exchange exchange, Duration after) throws IOException {
    ErrorFormat.Body body =
        Envelope.error(
            "timeout",
            "query timed out in expression evaluation: it was stopped after %.1f s, which is all the time that it had; ask for less"
                .formatted(after.toMillis() / 1e3));
    exchange.answer(503, body.contentType(), body.bytes());
  }

  private static void notes(String name, List<String> notes, JsonGenerator json) {
    if (!notes.isEmpty()) {
      json.writeArrayPropertyStart(name);
      notes.forEach(json::writeString);
      json.writeEndArray();
    }
  }

  private PromLimits limits(Parameters parameters) {
    PromLimits limits = PromLimits.DEFAULTS;
    Duration lookback = parameters.duration("lookback_delta");
    return new PromLimits(
        limits.samples(),
        limits.series(),
        context.queryLimits().memory(),
        lookback == null || !lookback.isPositive() ? limits.lookback() : lookback,
        limits.subqueryStep());
  }
}

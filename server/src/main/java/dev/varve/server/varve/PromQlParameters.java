package dev.varve.server.varve;

import dev.varve.engine.Dataset;
import dev.varve.model.Resolution;
import dev.varve.query.PlanExplanation;
import dev.varve.query.promql.Durations;
import dev.varve.query.promql.eval.PromQuery;
import dev.varve.query.promql.eval.PromSettings;
import dev.varve.query.running.QueryUse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A PromQL query to explain, as parameters of the command line and of Varve's own API: {@code
 * promql} with {@code to}, the evaluation time of an instant query, or with {@code from}, {@code
 * to} and {@code step} of a range query. Times are written as in {@link QueryParameters}.
 */
public record PromQlParameters(Map<String, String> texts) {
  public static final String QUERY = "promql";

  private static final List<String> NAMES = List.of(QUERY, "from", "to", "step");

  public PromQlParameters {
    texts = Map.copyOf(texts);
    for (String name : texts.keySet()) {
      if (!NAMES.contains(name)) {
        throw new IllegalArgumentException(
            "'" + name + "' cannot be used with PromQL (known: " + String.join(", ", NAMES) + ")");
      }
    }
    if (texts.containsKey("step")) {
      step(texts.get("step"));
    }
    if (texts.containsKey("from") && !texts.containsKey("step")) {
      throw new IllegalArgumentException(
          "'from' needs 'step', the interval between evaluations; without both the query is evaluated at 'to' only");
    }
  }

  /**
   * Explains the query.
   *
   * @param analyze whether to run the query as well
   * @param use accounts for what the query reads and holds while it runs
   * @throws IllegalArgumentException if a parameter is not a valid time
   * @throws dev.varve.query.promql.PromQlException if the query is not valid PromQL
   */
  public PlanExplanation explain(
      Dataset dataset, QueryUse use, PromSettings settings, Instant now, boolean analyze) {
    PromQuery query = new PromQuery(texts.getOrDefault(QUERY, ""), dataset, use, settings);
    return query.explain(
        time("from", "1h", now),
        time("to", "now", now),
        texts.containsKey("step") ? step(texts.get("step")) : null,
        analyze,
        request -> dataset.explain(request, false, use));
  }

  private long time(String name, String otherwise, Instant now) {
    return QueryParameters.time(
        name, texts.getOrDefault(name, otherwise), Resolution.MILLISECONDS, now);
  }

  private static Duration step(String text) {
    Duration step = Durations.parse(text);
    if (step.toMillis() < 1) {
      throw new IllegalArgumentException("'step' must be at least 1 ms");
    }
    return step;
  }
}

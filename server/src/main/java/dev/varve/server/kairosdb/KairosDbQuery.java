package dev.varve.server.kairosdb;

import dev.varve.engine.Dataset;
import dev.varve.query.OperatorException;
import dev.varve.query.PlanExplanation;
import dev.varve.query.Query;
import dev.varve.query.QueryPlan;
import dev.varve.query.running.QueryUse;
import dev.varve.server.explain.Explainable;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.kairosdb.QueryRequest.MetricQuery;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.function.Function;
import tools.jackson.core.JacksonException;

/** A query in the JSON of KairosDB, for explanations. */
public final class KairosDbQuery implements Explainable {
  private final byte[] text;
  private final Clock clock;
  private final Reservation memory;

  /**
   * Creates a query.
   *
   * @param clock the time that relative times refer to
   * @param memory reservation for what is parsed
   */
  public KairosDbQuery(String json, Clock clock, Reservation memory) {
    this.text = json.getBytes(StandardCharsets.UTF_8);
    this.clock = clock;
    this.memory = memory;
  }

  @Override
  public PlanExplanation explain(
      Dataset dataset, Function<String, Dataset> beside, QueryUse use, boolean analyze) {
    try {
      return Query.explain(plans(dataset), "kairosdb", dataset, use, analyze);
    } catch (OperatorException e) {
      throw new HttpError(422, String.valueOf(e.getMessage()));
    }
  }

  private List<QueryPlan> plans(Dataset dataset) {
    try {
      return new QueryReader(clock, dataset.resolution())
          .read(JsonTree.read(text, memory)).metrics().stream().map(MetricQuery::plan).toList();
    } catch (JacksonException e) {
      throw HttpError.badRequest(JsonTree.reason(e));
    }
  }
}

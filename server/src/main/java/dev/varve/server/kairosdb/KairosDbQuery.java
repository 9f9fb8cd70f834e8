package dev.varve.server.kairosdb;

import dev.varve.engine.Dataset;
import dev.varve.query.PlanExplanation;
import dev.varve.query.PlanOutline;
import dev.varve.query.QueryPlan;
import dev.varve.query.running.QueryUse;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.kairosdb.QueryRequest.MetricQuery;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import tools.jackson.core.JacksonException;

/** A query in the JSON of KairosDB, for explanations. */
public final class KairosDbQuery {
  private final List<QueryPlan> plans;

  /**
   * Compiles a query.
   *
   * @param clock the time that relative times refer to
   * @param memory reservation for what is parsed
   * @throws HttpError with KairosDB's message if the query is invalid
   */
  public KairosDbQuery(String json, Dataset dataset, Clock clock, Reservation memory) {
    byte[] text = json.getBytes(StandardCharsets.UTF_8);
    try {
      this.plans =
          new QueryReader(clock, dataset.resolution())
              .read(JsonTree.read(text, memory)).metrics().stream().map(MetricQuery::plan).toList();
    } catch (JacksonException e) {
      throw HttpError.badRequest(JsonTree.reason(e));
    }
  }

  /**
   * Explains the operators of each metric and the ranges of rows that are read. Nothing is written.
   *
   * @param analyze whether to read the samples as well
   */
  public PlanExplanation explain(Dataset dataset, QueryUse use, boolean analyze) {
    return PlanOutline.explain("kairosdb", plans, dataset, use, analyze);
  }
}

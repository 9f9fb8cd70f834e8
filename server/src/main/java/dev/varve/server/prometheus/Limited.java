package dev.varve.server.prometheus;

import dev.varve.engine.Dataset;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.promql.PromQlException;
import dev.varve.query.promql.eval.PromQlEvaluationException;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.dialect.DialectContext.QueryWork;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import java.io.IOException;
import java.time.Duration;

/** Runs queries within the limits and maps violations to Prometheus' statuses. */
final class Limited {
  private Limited() {}

  /**
   * Runs a query or another request that reads as much.
   *
   * @param parameters the request's parameters; {@code timeout} may shorten the time limit
   */
  static void query(
      DialectContext context,
      Exchange exchange,
      Dataset dataset,
      String language,
      String text,
      Parameters parameters,
      QueryWork work)
      throws IOException {
    Duration timeout = parameters.duration("timeout");
    QueryLimits limits = context.queryLimits();
    if (timeout != null) {
      limits = limits.within(timeout.isPositive() ? timeout : Duration.ZERO);
    }
    try {
      context.query(exchange, dataset, language, text, limits, work);
    } catch (PromQlException e) {
      throw Parameters.invalid("query", e.getMessage());
    } catch (PromQlEvaluationException | QueryRefusedException e) {
      throw exchange.committed() ? e : new HttpError(422, String.valueOf(e.getMessage()));
    }
  }
}

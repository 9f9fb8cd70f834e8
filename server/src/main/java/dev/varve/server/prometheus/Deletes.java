package dev.varve.server.prometheus;

import dev.varve.engine.Dataset;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.progress.DeletionProgress;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.query.promql.eval.Matchers;
import dev.varve.query.promql.eval.Millis;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** {@code /api/v1/admin/tsdb/delete_series} and {@code /api/v1/admin/tsdb/clean_tombstones}. */
final class Deletes {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

  private final DialectContext context;

  Deletes(DialectContext context) {
    this.context = context;
  }

  /** Deletes the samples of the series that match any selector. */
  void delete(Exchange exchange) throws IOException {
    context.ensureMayDelete(exchange);
    Parameters parameters = Parameters.of(exchange);
    if (parameters.all("match[]").isEmpty()) {
      throw HttpError.badRequest("no match[] parameter provided");
    }
    List<Selector> selectors = parameters.matchers().stream().map(Matchers::selector).toList();
    Dataset dataset = context.dataset(exchange);
    TimeRange times = times(parameters, dataset.resolution());
    try {
      for (Selector selector : selectors) {
        dataset.deletes().begin(selector, times);
      }
    } catch (QueryRefusedException e) {
      throw new HttpError(422, String.valueOf(e.getMessage()));
    }
    exchange.answer(204);
  }

  private static TimeRange times(Parameters parameters, Resolution resolution) {
    Long start = parameters.time("start");
    Long end = parameters.time("end");
    if (start != null && end != null && end < start) {
      throw Parameters.invalid("end", "end timestamp must not be before start timestamp");
    }
    return Millis.range(
        start == null ? Long.MIN_VALUE : start, end == null ? Long.MAX_VALUE - 1 : end, resolution);
  }

  /** Answers once the samples of pending deletes have been removed from the tables. */
  void clean(Exchange exchange) throws IOException {
    context.ensureMayDelete(exchange);
    AtomicBoolean stopped = new AtomicBoolean();
    exchange.onAbort(() -> stopped.set(true));
    for (Deletion deletion : context.dataset(exchange).deletes().pending()) {
      while (!hasEnded(deletion)) {
        if (stopped.get()) {
          throw new HttpError(
              503, "the deleted samples are still being removed from the tables", RETRY_AFTER);
        }
      }
    }
    exchange.answer(204);
  }

  private static boolean hasEnded(Deletion deletion) {
    DeletionProgress progress = deletion.progress();
    String problem = progress.problem();
    if (problem != null && !progress.hasEnded()) {
      throw new HttpError(
          503, "deleted samples cannot be removed at present: " + problem, RETRY_AFTER);
    }
    try {
      return deletion.await(BETWEEN_LOOKS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HttpError(503, "the server is stopping", RETRY_AFTER);
    }
  }
}

package dev.varve.server.kairosdb;

import dev.varve.engine.Dataset;
import dev.varve.model.Samples;
import dev.varve.query.Query;
import dev.varve.query.QueryRun;
import dev.varve.query.ResultSeries;
import dev.varve.query.ResultSink;
import dev.varve.query.running.QueryUse;
import dev.varve.server.ingest.IngestListener;
import dev.varve.server.ingest.Intake;
import dev.varve.server.kairosdb.QueryRequest.MetricQuery;
import dev.varve.server.kairosdb.RollupTask.RollupQuery;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.function.Consumer;

/** Computes the roll-ups of a dataset, one query after another, and writes their results. */
final class RollupWork {
  /** Runs a query when there is capacity for it. */
  interface Queries {
    /**
     * Runs the work of a query.
     *
     * @param text the query as it is listed
     */
    void run(String text, Consumer<QueryUse> work) throws IOException;
  }

  /** Results are only written. */
  private static final ResultSink NOWHERE =
      new ResultSink() {
        @Override
        public void begin(ResultSeries series) {}

        @Override
        public void samples(Samples samples, int from, int to) {}

        @Override
        public void gap(long time) {}

        @Override
        public void end() {}
      };

  private final Dataset dataset;
  private final Queries queries;
  private final IngestListener listener;
  private final Clock clock;

  /**
   * Creates the work.
   *
   * @param listener receives what is written
   */
  RollupWork(Dataset dataset, Queries queries, IngestListener listener, Clock clock) {
    this.dataset = dataset;
    this.queries = queries;
    this.listener = listener;
    this.clock = clock;
  }

  /**
   * Computes all windows of a query from that of one instant to that of another, and returns once
   * the results are durable.
   *
   * @param task name of the task, for the list of queries
   * @param first in ms since 1970
   * @param last in ms since 1970
   * @param between called before each query, for example to extend a lease
   * @return the number of points written
   */
  long run(String task, RollupQuery query, long first, long last, Runnable between)
      throws IOException {
    long[] points = {0};
    for (RollupStretch stretch :
        RollupStretch.between(first, last, query.sampling(), query.zone())) {
      between.run();
      MetricQuery metric = query.over(stretch, clock, dataset.resolution());
      String text = "roll-up '%s': %s to %s".formatted(task, query.metric(), query.saveAs());
      queries.run(text, use -> points[0] += write(metric, use));
    }
    return points[0];
  }

  private long write(MetricQuery metric, QueryUse use) {
    List<SavedPoints> saved =
        metric.saves().stream()
            .map(target ->
                new SavedPoints(
                    target,
                    metric.name(),
                    metric.groupBy().tags(),
                    dataset,
                    new Intake(dataset, KairosDb.NAME, listener)))
            .toList();
    QueryRun run = Query.inTurn(List.of(metric.plan()), dataset, use).getFirst();
    run.into(NOWHERE, saved);
    saved.forEach(SavedPoints::finish);
    return saved.getLast().written();
  }
}

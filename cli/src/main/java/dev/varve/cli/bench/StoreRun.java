package dev.varve.cli.bench;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.request.QueryExplanation;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.WriteResult;
import dev.varve.model.Batch;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.store.ReadCost;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Measures one layout on one store: writes all points, reads all of them, then reads single series.
 */
final class StoreRun {
  private static final int WRITERS = 4;
  private static final int SINGLE_SERIES = 20;

  /** Names of the figures in which stores count requests; an embedded store counts write groups. */
  private static final List<String> REQUESTS =
      List.of("store_requests_total", "store_write_groups_total");

  /**
   * The measurements.
   *
   * @param cells number of data cells, without index cells
   * @param writeRequests requests of the store to its servers while writing; -1 if it does not
   *     count them
   * @param readRequests requests while reading everything; -1 if it does not count them
   * @param seriesNanos mean time to read one series
   */
  record Measured(
      double writeSeconds,
      double readSeconds,
      long cells,
      long writeRequests,
      long readRequests,
      double seriesNanos) {}

  private final Engine engine;
  private final Dataset dataset;
  private final Workload workload;

  StoreRun(Engine engine, Workload workload) {
    this.engine = engine;
    this.dataset = engine.defaultDataset();
    this.workload = workload;
  }

  Measured run() throws InterruptedException {
    List<Batch> batches = workload.batches();
    long requestsBefore = writeRequests();
    long start = System.nanoTime();
    write(batches);
    double writeSeconds = (System.nanoTime() - start) / 1e9;
    long writeRequests = requestsBefore < 0 ? -1 : writeRequests() - requestsBefore;

    QueryExplanation.Actual all = read(Selector.metric(Workload.METRIC));
    if (all.samples() != workload.points()) {
      throw new CommandFailedException(
          "%,d points were written and %,d came back".formatted(workload.points(), all.samples()));
    }
    ReadCost cost = all.cost();
    return new Measured(
        writeSeconds,
        all.nanos() / 1e9,
        cost.cellsReturned(),
        writeRequests,
        cost.requests(),
        nanosOfOneSeries());
  }

  private void write(List<Batch> batches) throws InterruptedException {
    try (ExecutorService writers =
        Executors.newFixedThreadPool(WRITERS, Thread.ofVirtual().factory())) {
      List<Future<WriteResult>> results = new ArrayList<>();
      for (Batch batch : batches) {
        results.add(writers.submit(() -> dataset.write(batch)));
      }
      for (Future<WriteResult> result : results) {
        if (result.get().refused() > 0) {
          throw new CommandFailedException(
              "refused: " + result.get().rejections().getFirst().refusal().message());
        }
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  private double nanosOfOneSeries() {
    double nanos = 0;
    for (int i = 0; i < SINGLE_SERIES; i++) {
      String host = "host-" + i * (Workload.SERIES / SINGLE_SERIES);
      nanos += read(Selector.metric(Workload.METRIC, new TagFilter.Equal("host", host))).nanos();
    }
    return nanos / SINGLE_SERIES;
  }

  private QueryExplanation.Actual read(Selector selector) {
    TimeRange times = new TimeRange(workload.time(0), workload.time(workload.steps() - 1) + 1);
    return Objects.requireNonNull(dataset.explain(ReadRequest.of(selector, times), true).actual());
  }

  private long writeRequests() {
    return engine.figures().entrySet().stream()
        .filter(figure -> REQUESTS.stream().anyMatch(figure.getKey()::startsWith))
        .mapToLong(figure -> Math.round(figure.getValue()))
        .reduce(Long::sum)
        .orElse(-1);
  }
}

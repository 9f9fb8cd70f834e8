package dev.varve.query.promql.eval;

import dev.varve.engine.Dataset;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.plan.Projection;
import dev.varve.query.promql.plan.Scan;
import dev.varve.query.running.QueryUse;
import dev.varve.query.running.Runs;
import java.util.List;
import java.util.stream.Stream;

/**
 * Reads the stored samples of the series that match, including staleness markers but not texts. For
 * one thread.
 */
public final class SelectedSeries {
  private final Runs runs;
  private final DatasetSamples samples;

  /** Receives a series and its samples, whose arrays it must not use after the call. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Receives one series.
     *
     * @param times in ms since 1970, ascending
     * @param size number of elements of the arrays in use; may be 0
     */
    void series(Labels labels, long[] times, double[] values, int size);
  }

  public SelectedSeries(Dataset dataset, QueryUse use) {
    this.runs = use.runs(dataset);
    this.samples = new DatasetSamples(runs, use, 1);
  }

  /**
   * Reads all series with samples, one after another, in catalog order.
   *
   * @param from the first time, in ms since 1970
   * @param to the last time, in ms since 1970
   * @throws dev.varve.engine.error.QueryRefusedException if a limit is exceeded or a matcher is
   *     malformed
   * @throws dev.varve.store.ReadCancelledException if the read was cancelled
   */
  public void read(List<LabelMatcher> matchers, long from, long to, Sink sink) {
    samples.read(
        new Scan(matchers, from, to, Projection.ALL, null, Scan.Used.ALL),
        (labels, vector) -> sink.series(labels, vector.times(), vector.values(), vector.size()));
  }

  /**
   * Returns the series that may have samples in a range, in catalog order, without reading samples.
   * The stream must be closed.
   */
  public Stream<Labels> labels(List<LabelMatcher> matchers, long from, long to) {
    if (to < from) {
      return Stream.empty();
    }
    return runs.series(Matchers.selector(matchers), Millis.range(from, to, runs.resolution()))
        .map(Labels::of);
  }
}

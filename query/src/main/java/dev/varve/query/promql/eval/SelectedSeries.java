package dev.varve.query.promql.eval;

import dev.varve.engine.Dataset;
import dev.varve.query.Runs;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.plan.Projection;
import dev.varve.query.promql.plan.Scan;
import dev.varve.query.running.QueryUse;
import java.util.List;
import java.util.stream.Stream;

/**
 * The samples of the series that matchers choose, as they are stored: markers that a series has
 * ended among them, texts left out. For one thread.
 */
public final class SelectedSeries {
  private final Runs runs;
  private final DatasetSamples samples;

  /** Takes a series and its samples, whose arrays it may use during the call only. */
  @FunctionalInterface
  public interface Sink {
    /**
     * Takes one series.
     *
     * @param times in ms since 1970, rising
     * @param size how many elements of the arrays count; 0 is possible
     */
    void series(Labels labels, long[] times, double[] values, int size);
  }

  public SelectedSeries(Dataset dataset, QueryUse use) {
    this.runs = use.runs(dataset);
    this.samples = new DatasetSamples(runs, use, 1);
  }

  /**
   * Reads all series that have samples, one after the other, in the order of the catalog.
   *
   * @param from the first time, in ms since 1970
   * @param to the last time
   * @throws dev.varve.engine.QueryRefusedException if it takes more than it may, or a matcher is
   *     malformed
   * @throws dev.varve.store.ReadCancelledException if nobody wants them any more
   */
  public void read(List<LabelMatcher> matchers, long from, long to, Sink sink) {
    samples.read(
        new Scan(matchers, from, to, Projection.ALL, null),
        (labels, vector) -> sink.series(labels, vector.times(), vector.values(), vector.size()));
  }

  /**
   * The series that may have samples in a range, in the order of the catalog, without a look at
   * them. The stream has to be closed.
   */
  public Stream<Labels> labels(List<LabelMatcher> matchers, long from, long to) {
    if (to < from) {
      return Stream.empty();
    }
    return runs.series(Matchers.selector(matchers), Millis.range(from, to, runs.resolution()))
        .map(Labels::of);
  }
}

package dev.varve.query.promql.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.Dataset;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Series;
import dev.varve.model.Value;
import dev.varve.query.ReadOnce;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryUse;
import dev.varve.query.running.Runs;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A script's samples in a dataset of some layout and store, and queries of them. */
public final class ScriptInDataset implements PromScript.Subject {
  /** Scripts that every layout can hold; no two of them share a metric. */
  public static final List<String> FOR_ALL = List.of("language", "layouts", "reads");

  /** The longest script spans 300 days, and layouts need not hold samples of the future. */
  private static final int DAYS_AGO = 301;

  /** More than one, so that many series are read in parts. */
  private static final int READERS = 3;

  private final Dataset dataset;
  private final long origin;

  /** The cached reads; null if every query reads on its own. */
  private @Nullable ReadOnce once;

  private BatchBuilder unwritten = new BatchBuilder();
  private boolean isWritten = true;
  private int refused;

  ScriptInDataset(Dataset dataset, long origin) {
    this.dataset = dataset;
    this.origin = origin;
  }

  /**
   * Writes the samples of one of {@link #FOR_ALL} and compares every result with the script. Each
   * expression is evaluated once, as written, and reads are cached: most functions and operators of
   * a script use the same samples.
   */
  public static void check(String script, Dataset dataset) {
    ScriptInDataset subject = new ScriptInDataset(dataset, lately());
    subject.once = new ReadOnce(Runs.of(dataset));
    assertThat(new PromScript(PromScriptsTest.text(script), subject).run()).isGreaterThan(5);
    assertThat(subject.refused()).isZero();
  }

  /**
   * Returns a recent time 0 for scripts without one of their own, because some layouts have a
   * retention.
   */
  static long lately() {
    return Instant.now()
        .minus(DAYS_AGO, ChronoUnit.DAYS)
        .truncatedTo(ChronoUnit.DAYS)
        .toEpochMilli();
  }

  @Override
  public void clear() {
    throw new IllegalStateException("what a dataset holds stays in it");
  }

  @Override
  public void add(Series series, long time, double value) {
    long at = time / 1000 * dataset.resolution().perSecond();
    unwritten.add(series.key(), at, new Value.Real(value));
    isWritten = false;
  }

  void write() {
    if (!isWritten) {
      refused += dataset.write(unwritten.build()).refused();
      unwritten = new BatchBuilder();
      isWritten = true;
      once = once == null ? null : new ReadOnce(Runs.of(dataset));
    }
  }

  /** Returns the number of samples that the dataset has rejected so far. */
  int refused() {
    return refused;
  }

  @Override
  public long origin() {
    return origin;
  }

  /** The time of a query does not matter to a layout. */
  @Override
  public boolean asksAtOtherTimes() {
    return false;
  }

  @Override
  public boolean asksInRanges() {
    return once == null;
  }

  @Override
  public PromQuery query(String expression) {
    write();
    QueryUse use = QueryUse.of(QueryLimits.DEFAULTS);
    return once == null
        ? new PromQuery(expression, dataset, use, PromSettings.DEFAULTS)
        : new PromQuery(expression, once, use, PromSettings.DEFAULTS, READERS);
  }
}

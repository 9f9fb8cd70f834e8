package dev.varve.server.export;

import dev.varve.engine.Dataset;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.formats.export.ExportFormat;
import dev.varve.formats.export.ExportWriter;
import dev.varve.formats.export.ParallelExport;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryUse;
import dev.varve.store.Budget;
import java.io.IOException;
import java.io.Writer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;

/**
 * Exports all samples of a selection, ordered by metric, series and time. It holds one page of
 * samples at a time. It includes every sample that was accepted before it began.
 */
public final class Export {
  /** Memory of a series that is remembered because several selectors may match it, in bytes. */
  private static final long SERIES_BYTES = 80;

  private static final Duration TIME_MAX = Duration.ofDays(7);

  /**
   * Maximum number of concurrent exports in a process: fewer than queries, because each export is a
   * query.
   */
  static final int RUNNING_MAX = 4;

  private static final Semaphore RUNNING = new Semaphore(RUNNING_MAX);
  private static final Duration RETRY = Duration.ofSeconds(30);

  private final Dataset dataset;
  private final List<Selector> selectors;
  private final TimeRange times;
  private final boolean wholeTable;

  /**
   * Prepares to export.
   *
   * @param selectors at least one; the series of the first come first, and each comes once
   * @param times in the resolution of the dataset
   * @param wholeTable whether a whole table may be scanned
   */
  public Export(Dataset dataset, List<Selector> selectors, TimeRange times, boolean wholeTable) {
    this.dataset = dataset;
    this.selectors = List.copyOf(selectors);
    this.times = times;
    this.wholeTable = wholeTable;
  }

  /** Returns limits of queries without those of size and time, since an export holds no result. */
  public static QueryLimits limits(QueryLimits usual) {
    return new QueryLimits(
        Long.MAX_VALUE,
        Long.MAX_VALUE,
        usual.memory(),
        Long.MAX_VALUE,
        usual.steps(),
        TIME_MAX,
        Long.MAX_VALUE,
        Long.MAX_VALUE);
  }

  /**
   * Exports text, which is formatted on all processors.
   *
   * @param rows maximum samples of a line, for JSON lines; at least 1
   * @param use also accounts for the text that is not written yet
   * @throws dev.varve.engine.error.QueryRefusedException if a limit is exceeded
   * @throws OverloadedException if the maximum number of exports is running
   */
  public void run(ExportFormat format, Writer out, int rows, QueryUse use) throws IOException {
    use.memory().hold(ParallelExport.BYTES_MAX, "the text of an export");
    run(new ParallelExport(format, out, dataset.resolution(), rows), use);
  }

  /**
   * Exports.
   *
   * @param use accounts for what is read and held, and can stop the export
   * @throws dev.varve.engine.error.QueryRefusedException if a limit is exceeded
   * @throws OverloadedException if the maximum number of exports is running
   */
  public void run(ExportWriter writer, QueryUse use) throws IOException {
    if (!RUNNING.tryAcquire()) {
      throw new OverloadedException(
          "%d exports are running, and no more may run at once: try again when one has ended"
              .formatted(RUNNING_MAX),
          RETRY);
    }
    try {
      write(writer, use);
    } finally {
      RUNNING.release();
    }
  }

  private void write(ExportWriter writer, QueryUse use) throws IOException {
    Set<Series> before = new HashSet<>();
    for (int i = 0; i < selectors.size(); i++) {
      boolean remembers = selectors.size() > 1;
      ReadRequest request =
          new ReadRequest(
              selectors.get(i),
              times,
              null,
              Versions.LATEST,
              ReadRequest.Kinds.ONE,
              ReadRequest.Order.SERIES_BY_SERIES,
              0,
              wholeTable,
              Budget.UNLIMITED);
      Set<Series> here = new HashSet<>();
      use.keepOutOfLog();
      try (RunCursor runs = use.runs(dataset).read(request)) {
        for (Run run = runs.next(); run != null; run = runs.next()) {
          use.ensureWanted();
          if (before.contains(run.series())) {
            continue;
          }
          if (remembers && here.add(run.series())) {
            use.memory()
                .hold(SERIES_BYTES + run.series().key().byteCount(), "the series of an export");
          }
          writer.write(run.series(), run.samples(), 0, run.samples().size());
        }
      }
      before.addAll(here);
    }
    writer.finish();
  }
}

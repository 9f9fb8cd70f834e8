package dev.varve.query.promql.eval;

import dev.varve.engine.request.PartedRead;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Latest;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Kind;
import dev.varve.model.Recurring;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import dev.varve.model.TimeRange;
import dev.varve.query.Analysis;
import dev.varve.query.ParallelScan;
import dev.varve.query.ReadFigures;
import dev.varve.query.promql.plan.Scan;
import dev.varve.query.promql.plan.StepPlan;
import dev.varve.query.running.QueryUse;
import dev.varve.query.running.Runs;
import dev.varve.store.Budget;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The samples of a dataset as seen by PromQL: numbers, at times in ms. Texts are skipped. */
final class DatasetSamples implements SampleSource {
  private final Runs runs;
  private final QueryUse use;
  private final int readers;

  /** Receives figures; null if the query is not analysed. Set before the first read. */
  private @Nullable Analysis<StepPlan, Scan> analysis;

  /**
   * Creates the sample source of one query.
   *
   * @param runs the runs of the use, which count against its limits
   * @param readers maximum number of reading threads, including that of the query
   */
  DatasetSamples(Runs runs, QueryUse use, int readers) {
    this.runs = runs;
    this.use = use;
    this.readers = readers;
  }

  void analyse(Analysis<StepPlan, Scan> into) {
    analysis = into;
  }

  @Override
  public void read(Scan scan, Sink sink) {
    if (scan.to() < scan.from()) {
      return;
    }
    PartedRead parts = runs.readInParts(request(scan));
    ReadFigures figures = analysis == null ? null : analysis.read(scan);
    try {
      part(parts, 0, parts.size(), scan, measured(figures, sink));
    } finally {
      close(parts, figures);
    }
  }

  @Override
  public void read(Scan scan, Supplier<Work> work, long bytes, Consumer<Worked> sink) {
    if (scan.to() < scan.from()) {
      return;
    }
    PartedRead parts = runs.readInParts(request(scan));
    ReadFigures figures = analysis == null ? null : analysis.read(scan);
    try {
      new ParallelScan<Worked>(
              parts.size(),
              parts.leastPart(),
              readers,
              bytes,
              use.memory(),
              parts::cancel,
              (from, to, into) -> {
                Work own = work.get();
                part(parts, from, to, scan, measured(figures, own, into));
                return true;
              })
          .run(sink);
    } finally {
      close(parts, figures);
    }
  }

  private static void close(PartedRead parts, @Nullable ReadFigures figures) {
    parts.close();
    if (figures != null) {
      figures.cost(parts.cost());
    }
  }

  private static Sink measured(@Nullable ReadFigures figures, Sink sink) {
    if (figures == null) {
      return sink;
    }
    long[] since = {System.nanoTime()};
    return (labels, samples) -> {
      figures.series(samples.size(), System.nanoTime() - since[0], 0);
      sink.series(labels, samples);
      since[0] = System.nanoTime();
    };
  }

  /** Returns a sink that passes on what one thread computes from the samples of a series. */
  private static Sink measured(@Nullable ReadFigures figures, Work work, Consumer<Worked> into) {
    if (figures == null) {
      return (labels, samples) -> into.accept(new Worked(labels, work.columns(samples)));
    }
    long[] since = {System.nanoTime()};
    return (labels, samples) -> {
      long begun = System.nanoTime();
      int size = samples.size();
      @Nullable Column[] columns = work.columns(samples);
      figures.series(size, begun - since[0], System.nanoTime() - begun);
      into.accept(new Worked(labels, columns));
      since[0] = System.nanoTime();
    };
  }

  /** Reads some series of a scan, one after another. */
  private void part(PartedRead parts, int from, int to, Scan scan, Sink sink) {
    SampleVector samples = new SampleVector();
    Series last = null;
    long held = 0;
    try (RunCursor cursor = parts.part(from, to)) {
      for (Run run = cursor.next(); run != null; run = cursor.next()) {
        if (run.samples().kind() == Kind.STRING) {
          continue;
        }
        if (last != null && !last.equals(run.series())) {
          hand(last, scan, samples, sink);
        }
        last = run.series();
        held += hold(samples, run.samples().size());
        samples.addAll(run.samples(), runs.resolution());
      }
      if (last != null) {
        hand(last, scan, samples, sink);
      }
    } finally {
      use.memory().release(held);
    }
  }

  /** Holds memory for the growth of the vector, which is reused for all series. */
  private long hold(SampleVector samples, int more) {
    long bytes = samples.bytesToGrow(more);
    if (bytes > 0) {
      use.memory().hold(bytes, "a query of long series");
    }
    return bytes;
  }

  private static void hand(Series of, Scan scan, SampleVector samples, Sink sink) {
    sink.series(Labels.of(of, scan.labels()), samples);
    samples.clear();
  }

  /** Returns an upper bound of the number of series of a scan. */
  OptionalLong count(Scan scan) {
    if (scan.to() < scan.from()) {
      return OptionalLong.of(0);
    }
    TimeRange times = Millis.range(scan.from(), scan.to(), runs.resolution());
    try (Stream<Series> all = runs.series(Matchers.selector(scan.matchers()), times)) {
      return OptionalLong.of(all.count());
    }
  }

  /** Returns the engine's request for a scan. */
  ReadRequest request(Scan scan) {
    return request(
        Matchers.selector(scan.matchers()),
        Millis.range(scan.from(), scan.to(), runs.resolution()),
        scan.recurring() == null ? null : Millis.recurring(scan.recurring(), runs.resolution()),
        switch (scan.used()) {
          case ALL -> null;
          case LATEST -> new Latest(null);
          case LATEST_NOT_STALE -> new Latest(StaleMarker.BITS);
        });
  }

  private static ReadRequest request(
      Selector selector, TimeRange times, @Nullable Recurring recurring, @Nullable Latest latest) {
    return new ReadRequest(
        selector,
        times,
        null,
        Versions.LATEST,
        ReadRequest.Kinds.ONE,
        ReadRequest.Order.SERIES_BY_SERIES,
        0,
        false,
        Budget.UNLIMITED,
        recurring,
        latest);
  }
}

package dev.varve.query.promql.eval;

import dev.varve.engine.QueryRefusedException;
import dev.varve.engine.ReadRequest;
import dev.varve.engine.RunCursor;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Kind;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.query.Runs;
import dev.varve.query.promql.plan.Scan;
import dev.varve.store.Budget;
import dev.varve.store.ReadCancelledException;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The samples of a dataset as PromQL knows them: numbers, at times in ms. Texts are left out. */
final class DatasetSamples implements SampleSource {
  private final Runs runs;
  private final PromLimits limits;
  private volatile boolean cancelled;

  /** Written by the thread that reads, and shown to others. */
  private volatile long read;

  private long series;

  /** Guarded by this: {@link #cancel} comes from elsewhere. */
  private @Nullable RunCursor open;

  DatasetSamples(Runs runs, PromLimits limits) {
    this.runs = runs;
    this.limits = limits;
  }

  long read() {
    return read;
  }

  synchronized void cancel() {
    cancelled = true;
    if (open != null) {
      open.cancel();
    }
  }

  @Override
  public void read(Scan scan, Sink sink) {
    if (scan.to() < scan.from()) {
      return;
    }
    TimeRange times = Millis.range(scan.from(), scan.to(), runs.resolution());
    SampleVector samples = new SampleVector();
    Series last = null;
    try (RunCursor cursor = open(request(Matchers.selector(scan.matchers()), times))) {
      for (Run run = next(cursor); run != null; run = next(cursor)) {
        if (run.samples().kind() == Kind.STRING) {
          continue;
        }
        if (last != null && !last.equals(run.series())) {
          hand(last, scan, samples, sink);
        }
        last = run.series();
        add(run.samples(), samples);
      }
      if (last != null) {
        hand(last, scan, samples, sink);
      }
    } finally {
      synchronized (this) {
        open = null;
      }
    }
  }

  private void hand(Series of, Scan scan, SampleVector samples, Sink sink) {
    if (++series > limits.series()) {
      throw new QueryRefusedException(
          "the query reads more than the %,d series that it may; name more labels"
              .formatted(limits.series()));
    }
    sink.series(Labels.of(of, scan.labels()), samples);
    samples.clear();
  }

  private void add(Samples from, SampleVector into) {
    long sofar = read + from.size();
    read = sofar;
    if (sofar > limits.samples()) {
      throw new QueryRefusedException(
          "the query reads more than the %,d samples that it may; a shorter range or more labels would help"
              .formatted(limits.samples()));
    }
    for (int i = 0; i < from.size(); i++) {
      into.add(Millis.of(from.time(i), runs.resolution()), from.number(i));
    }
  }

  /** How many series a scan reads, at most. */
  OptionalLong count(Scan scan) {
    if (scan.to() < scan.from()) {
      return OptionalLong.of(0);
    }
    ensureWanted();
    TimeRange times = Millis.range(scan.from(), scan.to(), runs.resolution());
    try (Stream<Series> all = runs.series(Matchers.selector(scan.matchers()), times)) {
      return OptionalLong.of(all.count());
    }
  }

  /** Throws where the query was cancelled. */
  void ensureWanted() {
    if (cancelled) {
      throw new ReadCancelledException();
    }
  }

  private @Nullable Run next(RunCursor cursor) {
    ensureWanted();
    return cursor.next();
  }

  private RunCursor open(ReadRequest request) {
    ensureWanted();
    RunCursor cursor = runs.read(request);
    synchronized (this) {
      open = cursor;
    }
    if (cancelled) {
      cursor.cancel();
    }
    return cursor;
  }

  private static ReadRequest request(Selector selector, TimeRange times) {
    return new ReadRequest(
        selector,
        times,
        null,
        Versions.LATEST,
        ReadRequest.Kinds.ONE,
        ReadRequest.Order.SERIES_BY_SERIES,
        0,
        false,
        Budget.UNLIMITED);
  }
}

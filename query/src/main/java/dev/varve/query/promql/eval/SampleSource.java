package dev.varve.query.promql.eval;

import dev.varve.query.promql.plan.Scan;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Provides samples to queries. */
interface SampleSource {
  /** Receives the samples of a series, which it may change and must not use after the call. */
  interface Sink {
    void series(Labels labels, SampleVector samples);
  }

  /** Computes columns from the samples of a series, which it may change. For one thread. */
  interface Work {
    /** Returns the columns; null for those without values. */
    @Nullable Column[] columns(SampleVector samples);
  }

  /**
   * Result for one series.
   *
   * @param columns null for those without values
   */
  record Worked(Labels labels, @Nullable Column[] columns) {}

  /** Reads all series of a scan, one after another. */
  void read(Scan scan, Sink sink);

  /**
   * Reads all series of a scan and computes columns, with several threads if there are many series.
   * Results arrive in series order, on the calling thread.
   *
   * @param work creates the evaluation for one thread
   * @param bytes approximate size of the columns of one series
   */
  void read(Scan scan, Supplier<Work> work, long bytes, Consumer<Worked> sink);
}

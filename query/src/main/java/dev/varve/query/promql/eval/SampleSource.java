package dev.varve.query.promql.eval;

import dev.varve.query.promql.plan.Scan;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Gives samples to queries. */
interface SampleSource {
  /** Takes the samples of a series, which it may use during the call only, and change. */
  interface Sink {
    void series(Labels labels, SampleVector samples);
  }

  /** Makes columns of the samples of a series, which it may change. For one thread. */
  interface Work {
    /** The columns, of which those without a value are null. */
    @Nullable Column[] columns(SampleVector samples);
  }

  /**
   * What became of a series.
   *
   * @param columns those without a value are null
   */
  record Worked(Labels labels, @Nullable Column[] columns) {}

  /** Reads all series of a scan, one after the other. */
  void read(Scan scan, Sink sink);

  /**
   * Reads all series of a scan and makes columns of them, by several threads where there are many
   * series. What becomes of them comes in the order of the series, on the thread that calls.
   *
   * @param work makes what one thread works with
   * @param bytes that the columns of one series take, about
   */
  void read(Scan scan, Supplier<Work> work, long bytes, Consumer<Worked> sink);
}

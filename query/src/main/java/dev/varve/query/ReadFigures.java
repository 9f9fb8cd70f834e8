package dev.varve.query;

import dev.varve.engine.request.RunCursor;
import dev.varve.model.Run;
import dev.varve.model.Series;
import dev.varve.store.ReadCost;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Figures of a read, updated by its readers. Thread-safe. */
public final class ReadFigures {
  private ReadCost cost = ReadCost.NOTHING;
  private final LongAdder series = new LongAdder();
  private final LongAdder samples = new LongAdder();
  private final LongAdder readNanos = new LongAdder();
  private final LongAdder workNanos = new LongAdder();

  /** Adds to the cost in the stores. */
  public synchronized void cost(ReadCost more) {
    cost = cost.plus(more);
  }

  /**
   * Counts a series.
   *
   * @param samplesOfIt the number of its samples
   * @param reading nanoseconds spent reading them
   * @param working nanoseconds spent processing them
   */
  public void series(long samplesOfIt, long reading, long working) {
    series.increment();
    samples.add(samplesOfIt);
    readNanos.add(reading);
    workNanos.add(working);
  }

  /**
   * Counts the series and samples of a cursor and the time spent reading it. Its cost is left to
   * the caller, as cursors of one read may share it.
   */
  public RunCursor through(RunCursor cursor) {
    return new Counted(cursor);
  }

  /** Returns the figures so far. */
  public synchronized PlanExplanation.Actual actual() {
    return new PlanExplanation.Actual(
        cost, series.sum(), samples.sum(), readNanos.sum(), workNanos.sum());
  }

  private final class Counted implements RunCursor {
    private final RunCursor cursor;
    private @Nullable Series last;

    private Counted(RunCursor cursor) {
      this.cursor = cursor;
    }

    @Override
    public @Nullable Run next() {
      long begun = System.nanoTime();
      Run run = cursor.next();
      readNanos.add(System.nanoTime() - begun);
      if (run != null) {
        if (!run.series().equals(last)) {
          last = run.series();
          series.increment();
        }
        samples.add(run.samples().size());
      }
      return run;
    }

    @Override
    public ReadCost cost() {
      return cursor.cost();
    }

    @Override
    public void cancel() {
      cursor.cancel();
    }

    @Override
    public void close() {
      cursor.close();
    }
  }
}

package dev.varve.engine.request;

import dev.varve.model.Run;
import dev.varve.store.ReadCost;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over runs. Runs of one series are in order of time, and do not overlap within a period.
 * With {@code SERIES_BY_SERIES}, all runs of a series come together. One thread pulls and closes
 * the cursor; any thread may call {@link #cancel()}. Closing twice is allowed. {@link #next()}
 * throws if the read fails, for example because a store fails or the budget is exhausted.
 */
public interface RunCursor extends AutoCloseable {
  /** Returns the next run, or null at the end. Its samples are valid until the next call. */
  @Nullable Run next();

  /** Returns the cost of the read so far. */
  ReadCost cost();

  /**
   * Makes a pull in progress fail within 100 ms, and every later one immediately, with {@link
   * dev.varve.store.ReadCancelledException}.
   */
  void cancel();

  @Override
  void close();
}

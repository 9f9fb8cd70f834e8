package dev.varve.engine;

import dev.varve.model.Run;
import dev.varve.store.ReadCost;
import org.jspecify.annotations.Nullable;

/**
 * Delivers runs. Pulled and closed by one thread; {@link #cancel()} may come from any. Closing
 * twice is allowed. What is wrong with a read, such as a spent budget or a store that fails, comes
 * as an exception out of {@link #next()}.
 */
public interface RunCursor extends AutoCloseable {
  /** The next run, or null where there are no more. Its samples are valid until the next call. */
  @Nullable Run next();

  /** What the stores have done for it so far. */
  ReadCost cost();

  /**
   * Makes the pull under way, within 100 ms, and every later one fail with {@link
   * dev.varve.store.ReadCancelledException}.
   */
  void cancel();

  @Override
  void close();
}

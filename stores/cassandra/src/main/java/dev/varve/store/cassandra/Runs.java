package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.Row;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The cells of one family in one slice, run by run: a run is what one row holds of the family. */
interface Runs {
  /** The key of the next run, while none is begun; null behind the last. */
  @Nullable ByteBuffer key();

  /** The next cell of the run that {@link #key} named; null at its end. */
  @Nullable Row peek();

  /** Goes on behind the cell at hand. */
  void pop();

  /** Goes to the end of the run at hand. */
  void skip();
}

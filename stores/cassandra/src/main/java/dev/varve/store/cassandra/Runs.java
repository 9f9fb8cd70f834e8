package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.Row;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The cells of one family in one slice, run by run. A run is the part of one row in the family. */
interface Runs {
  /** Returns the key of the next run, if none is begun; null after the last. */
  @Nullable ByteBuffer key();

  /** Returns the next cell of the run that {@link #key} named; null at its end. */
  @Nullable Row peek();

  /** Moves past the current cell. */
  void pop();

  /** Moves to the end of the current run. */
  void skip();
}

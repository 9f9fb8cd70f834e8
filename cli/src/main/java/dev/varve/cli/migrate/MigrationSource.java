package dev.varve.cli.migrate;

import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The source of a migration: the selected samples of a dataset or of another database. For one
 * thread. Methods throw {@link IOException} if the source fails or cannot be reached.
 */
interface MigrationSource extends AutoCloseable {
  /** Returns a text that identifies the source, for messages and for the checkpoint. */
  String name();

  /** Returns the unit of its times. */
  Resolution resolution();

  /** Returns the names of the metrics, sorted. */
  List<String> metrics() throws IOException;

  /**
   * Passes on the samples of a metric, series by series in {@link Position#ORDER}, and each series
   * in the order of time with one sample per instant.
   *
   * @param from a series before which samples may be left out; null for none
   */
  void read(String metric, @Nullable Series from, Receiver to) throws IOException;

  @Override
  void close();

  /** Receives samples. */
  interface Receiver {
    /** Receives the samples of a range of indexes. They are valid during the call. */
    void accept(Series series, Samples samples, int from, int to) throws IOException;
  }
}

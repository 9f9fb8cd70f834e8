package dev.varve.formats.export;

import dev.varve.model.Samples;
import dev.varve.model.Series;
import java.io.IOException;

/**
 * Writes samples in one format, series by series and each in the order of time. Holds no more than
 * the labels of one series. For one thread.
 */
public interface ExportWriter {
  /** Writes the samples of a range of indexes, those that the format can hold. */
  void write(Series series, Samples samples, int from, int to) throws IOException;

  /** Writes the end. The target is flushed and stays open. */
  void finish() throws IOException;

  /** Returns the number of samples that the format cannot hold. */
  long leftOut();
}

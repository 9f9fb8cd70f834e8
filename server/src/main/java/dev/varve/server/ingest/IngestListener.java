package dev.varve.server.ingest;

import dev.varve.engine.WriteResult;

/** Is told of every batch that was written. Called by many threads. */
public interface IngestListener {
  /**
   * Takes note of a batch.
   *
   * @param coerced how many integers were stored as doubles
   * @param nanos from the call to the dataset until it answered
   */
  void written(String dataset, String dialect, WriteResult result, int coerced, long nanos);
}

package dev.varve.server.ingest;

import dev.varve.engine.WriteResult;

/**
 * Is told of every batch that was written, and says through which door it has come. Called by many
 * threads.
 */
public interface IngestListener {
  /**
   * Takes note of a batch.
   *
   * @param coerced how many integers were stored as doubles
   * @param nanos from the call to the dataset until it answered
   */
  void written(String dataset, String dialect, WriteResult result, int coerced, long nanos);

  /** What series pass on their way in. */
  default Door door() {
    return Door.OPEN;
  }

  /** Takes note of samples that rules have dropped. */
  default void dropped(String dataset, String dialect, long samples) {}

  /** Takes the same notes of what passes another door. */
  default IngestListener behind(Door other) {
    IngestListener listener = this;
    return new IngestListener() {
      @Override
      public void written(
          String dataset, String dialect, WriteResult result, int coerced, long nanos) {
        listener.written(dataset, dialect, result, coerced, nanos);
      }

      @Override
      public Door door() {
        return other;
      }

      @Override
      public void dropped(String dataset, String dialect, long samples) {
        listener.dropped(dataset, dialect, samples);
      }
    };
  }
}

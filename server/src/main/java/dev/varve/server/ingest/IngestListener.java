package dev.varve.server.ingest;

import dev.varve.engine.request.WriteResult;
import java.util.function.Supplier;

/**
 * Receives the outcome of every batch, and supplies the door for incoming series. Called by many
 * threads.
 */
public interface IngestListener {
  /** Records nothing. */
  IngestListener NONE = (dataset, dialect, result, coerced, nanos) -> {};

  /**
   * Records a batch.
   *
   * @param coerced number of integers that were stored as doubles
   * @param nanos duration of the write
   */
  void written(String dataset, String dialect, WriteResult result, int coerced, long nanos);

  /**
   * Records refused samples, or input that would have become samples. {@link #written} reports
   * those that a dataset refused.
   *
   * @param rule the broken rule; one of a few fixed names
   * @param example describes one of them with the reason
   */
  default void refused(
      String dataset, String dialect, String rule, long count, Supplier<String> example) {}

  /** Returns the door for incoming series. */
  default Door door() {
    return Door.OPEN;
  }

  /** Records samples that rules have dropped. */
  default void dropped(String dataset, String dialect, long samples) {}

  /** Returns a listener with another door that records the same. */
  default IngestListener withDoor(Door other) {
    IngestListener listener = this;
    return new IngestListener() {
      @Override
      public void written(
          String dataset, String dialect, WriteResult result, int coerced, long nanos) {
        listener.written(dataset, dialect, result, coerced, nanos);
      }

      @Override
      public void refused(
          String dataset, String dialect, String rule, long count, Supplier<String> example) {
        listener.refused(dataset, dialect, rule, count, example);
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

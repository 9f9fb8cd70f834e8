package dev.varve.server.ingest;

import dev.varve.engine.WriteResult;
import java.util.function.Supplier;

/**
 * Is told of every batch that was written, and says through which door it has come. Called by many
 * threads.
 */
public interface IngestListener {
  /** Takes note of nothing. */
  IngestListener NONE = (dataset, dialect, result, coerced, nanos) -> {};

  /**
   * Takes note of a batch.
   *
   * @param coerced how many integers were stored as doubles
   * @param nanos from the call to the dataset until it answered
   */
  void written(String dataset, String dialect, WriteResult result, int coerced, long nanos);

  /**
   * Takes note of samples, or of what would have become samples, that were refused for what they
   * are; {@link #written} tells of those that a dataset refused.
   *
   * @param rule that they broke; one of a few fixed names
   * @param example describes one of them, and why
   */
  default void refused(
      String dataset, String dialect, String rule, long count, Supplier<String> example) {}

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

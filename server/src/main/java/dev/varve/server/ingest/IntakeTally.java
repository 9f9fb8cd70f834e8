package dev.varve.server.ingest;

import dev.varve.engine.request.WriteResult;
import dev.varve.engine.request.WriteResult.Rejection;
import dev.varve.server.http.WriteBudget.Reservation;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Supplier;

/**
 * Counts the outcomes of the samples of one request or connection, and reports each to the
 * listener.
 */
final class IntakeTally {
  /** Memory of a rejection in bytes, without its key and message. */
  private static final long REJECTION_BYTES = 200;

  private final String dataset;
  private final String dialect;
  private final IngestListener listener;
  private final Reservation memory;
  private final List<Rejection> rejections = new ArrayList<>();

  /** Indexes of the rejections that have the key as it was sent. */
  private final BitSet asSent = new BitSet();

  private long accepted;
  private long refused;
  private long dropped;
  private int coerced;

  IntakeTally(String dataset, String dialect, IngestListener listener, Reservation memory) {
    this.dataset = dataset;
    this.dialect = dialect;
    this.listener = listener;
    this.memory = memory;
  }

  long accepted() {
    return accepted;
  }

  long refused() {
    return refused;
  }

  long dropped() {
    return dropped;
  }

  int coerced() {
    return coerced;
  }

  List<Rejection> rejections() {
    return rejections;
  }

  boolean isAsSent(int index) {
    return asSent.get(index);
  }

  /**
   * Counts a batch that the dataset has written.
   *
   * @param converted number of its integers that became doubles
   * @param start nanoseconds of the clock at which the write began
   */
  void countWritten(WriteResult result, int converted, long start) {
    accepted += result.accepted();
    refused += result.refused();
    keep(result.rejections(), false);
    listener.written(dataset, dialect, result, converted, System.nanoTime() - start);
  }

  /** Counts samples that the door's rules dropped. */
  void countDropped(int samples) {
    dropped += samples;
    listener.dropped(dataset, dialect, samples);
  }

  /** Counts an integer that becomes a double. */
  void countCoerced() {
    coerced++;
  }

  /**
   * Counts samples that are refused before the dataset has seen them.
   *
   * @param sent whether the rejection has the key as it was sent
   */
  void countRefused(Rejection rejection, int samples, boolean sent) {
    refused += samples;
    keep(List.of(rejection), sent);
    report(
        rejection.refusal().rule(),
        samples,
        () -> rejection.key() + ": " + rejection.refusal().message());
  }

  /** Reports refused input to the listener, and does not count it. */
  void report(String rule, long count, Supplier<String> example) {
    if (count > 0) {
      listener.refused(dataset, dialect, rule, count, example);
    }
  }

  private void keep(List<Rejection> more, boolean sent) {
    for (Rejection rejection : more) {
      if (rejections.size() < WriteResult.REJECTIONS_MAX
          && memory.tryHold(
              REJECTION_BYTES
                  + rejection.key().byteCount()
                  + 2L * rejection.refusal().message().length())) {
        asSent.set(rejections.size(), sent);
        rejections.add(rejection);
      }
    }
  }
}

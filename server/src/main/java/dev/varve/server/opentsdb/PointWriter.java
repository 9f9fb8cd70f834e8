package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.WriteResult.Rejection;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Value;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HeldPart;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.ingest.Intake;
import dev.varve.server.ingest.StoredForm;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the points of a request to one dataset, in batches. For one thread. */
final class PointWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PointWriter.class);

  private final Dataset dataset;
  private final Intake intake;
  private final PutOptions options;
  private final PutFailures failures;

  /** Memory of the request, and of writes, which may continue after it. */
  private final Reservation memory;

  private final Reservation ofWrites;
  private final HeldPart ofPlaced;
  private final HeldPart ofNoted;
  private final BatchBuilder batch;

  /** The number of points in the batch. */
  private int size;

  /** The points of the batch, kept only if details are requested. */
  private final List<Placed> placed = new ArrayList<>();

  /** Whether a write exceeded the client's timeout and continues; no other write begins then. */
  private boolean abandoned;

  /**
   * @param place index of the point within the request, from 0
   * @param stored the key as stored; null if the point does not pass the door
   * @param time in the resolution of the dataset
   * @param tooFine whether the time had to be rounded
   */
  private record Placed(
      int place,
      DataPoint point,
      GroupKey sent,
      @Nullable GroupKey stored,
      long time,
      boolean tooFine) {}

  PointWriter(
      DialectContext context,
      Exchange exchange,
      Dataset dataset,
      PutOptions options,
      PutFailures failures) {
    this.dataset = dataset;
    this.options = options;
    this.failures = failures;
    this.memory = exchange.memory();
    this.ofWrites = memory.another();
    this.ofPlaced = new HeldPart(memory);
    this.ofNoted = new HeldPart(memory);
    this.intake = context.intake(exchange, dataset, Telnet.NAME, ofWrites);
    this.batch = new BatchBuilder(memory::hold);
  }

  Dataset dataset() {
    return dataset;
  }

  /** Counts and logs an element that is not a point. */
  void report(String wrong) {
    intake.report(Intake.SYNTAX, 1, () -> wrong);
  }

  /**
   * Adds a point to the batch, which is written if it is full.
   *
   * @param place index of the point within the request, from 0
   * @param millis the time in milliseconds since 1970
   */
  void add(int place, DataPoint point, GroupKey key, String field, long millis, PointValue value) {
    switch (value) {
      case PointValue.Whole(long number) -> batch.group(key).add(field, millis, number);
      case PointValue.Real(double number) -> batch.group(key).add(field, millis, number);
      case PointValue.Text(String text) -> batch.group(key).add(field, millis, text);
      case PointValue.Noted(String name, Bytes bytes) -> {
        ofNoted.hold(bytes.length());
        batch.add(new Attribute(key, name, inResolution(millis), new Value.Raw(bytes)));
      }
    }
    size++;
    if (options.details()) {
      ofPlaced.hold(PutFailures.shownBytes(point) + 2L * key.byteCount());
      placed.add(placed(place, point, key, millis));
    }
    if (size >= Intake.BATCH || intake.isFull(batch)) {
      write();
    }
  }

  /** Returns a time in the resolution of the dataset; its last one if it has none. */
  private long inResolution(long millis) {
    try {
      return Resolution.MILLISECONDS.convert(millis, dataset.resolution());
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }

  private Placed placed(int place, DataPoint point, GroupKey key, long millis) {
    Resolution resolution = dataset.resolution();
    try {
      long time = Resolution.MILLISECONDS.convert(millis, resolution);
      boolean tooFine = resolution.convert(time, Resolution.MILLISECONDS) != millis;
      return new Placed(place, point, key, intake.stored(key), time, tooFine);
    } catch (ArithmeticException e) {
      // The time exceeds the range of the resolution, so the intake rejects the point.
      return new Placed(place, point, key, intake.stored(key), millis, true);
    }
  }

  /** Writes what was added. */
  void write() {
    if (size == 0) {
      return;
    }
    long refusedBefore = intake.refused();
    int namedBefore = intake.rejections().size();
    long bytes = batch.byteCount();
    if (!abandoned) {
      ofWrites.hold(2 * bytes);
    }
    Batch full = batch.build();
    memory.letGo(bytes);
    if (abandoned || !writeInTime(full, 2 * bytes)) {
      failures.timedOut(size);
      placed.forEach(one -> failures.note(one.place(), one.point(), "Write timedout"));
    } else {
      failures.failed((int) (intake.refused() - refusedBefore));
      if (options.details()) {
        for (int i = namedBefore; i < intake.rejections().size(); i++) {
          explain(intake.rejections().get(i), intake.isAsSent(i));
        }
      }
    }
    size = 0;
    placed.clear();
    ofPlaced.letGo();
    ofNoted.letGo();
  }

  /**
   * Writes a batch; returns false if the client's timeout expires before it is durable.
   *
   * @param bytes memory of the batch and of its conversion
   */
  private boolean writeInTime(Batch full, long bytes) {
    if (!options.timed()) {
      intake.write(full, false);
      ofWrites.letGo(bytes);
      return true;
    }
    // A write cannot be interrupted; after a timeout its outcome is only logged.
    FutureTask<Boolean> writing =
        new FutureTask<>(() -> {
          intake.write(full, false);
          return true;
        });
    long left = options.deadline() - System.nanoTime();
    Thread.ofVirtual().name("varve-put").start(writing);
    try {
      if (left > 0 && writing.get(left, TimeUnit.NANOSECONDS)) {
        ofWrites.letGo(bytes);
        return true;
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      // Reported to the client below.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    abandon(writing);
    return false;
  }

  /** Detaches a write; its memory is released when it ends. */
  private void abandon(FutureTask<Boolean> writing) {
    abandoned = true;
    Thread.ofVirtual()
        .name("varve-put")
        .start(() -> {
          try (ofWrites) {
            writing.get();
          } catch (ExecutionException e) {
            LOG.warn("a write failed after its client had given up", e.getCause());
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /**
   * Finds the points that a rejection refers to and records their errors.
   *
   * @param asSent whether the rejection names the key as sent rather than as stored
   */
  private void explain(Rejection rejection, boolean asSent) {
    String reason = rejection.refusal().message();
    Long time = rejection.time();
    boolean ofTooFine = rejection.refusal().rule().equals(StoredForm.TOO_FINE);
    for (Iterator<Placed> rest = placed.iterator(); rest.hasNext(); ) {
      Placed one = rest.next();
      boolean sameTime = ofTooFine ? one.tooFine() : time == null || time == one.time();
      if (sameTime && rejection.key().equals(asSent ? one.sent() : one.stored())) {
        failures.note(one.place(), one.point(), reason);
        rest.remove();
        if (ofTooFine || time != null) {
          return;
        }
      }
    }
  }

  /** Releases the memory of writes, unless one of them outlives the request. */
  @Override
  public void close() {
    if (!abandoned) {
      ofWrites.close();
    }
  }
}

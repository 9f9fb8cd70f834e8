package dev.varve.query.running;

import dev.varve.engine.request.ReadRequest;
import dev.varve.model.TimeRange;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.function.DoubleSupplier;

/**
 * Estimates the progress of a query's reads, so that an error can say what the full reads would
 * have taken. It weights all keys equally, and assumes that the samples of a key are spread evenly
 * over the time range. Reads that have not started are not included. Thread-safe.
 */
final class ReadProgress {
  /** Progress of a key whose position in the time range is unknown. */
  private static final double HALF = 0.5;

  private final AtomicLong keys = new AtomicLong();
  private final DoubleAdder ended = new DoubleAdder();
  private final Set<Part> underWay = ConcurrentHashMap.newKeySet();

  /** Counts matching keys that will be read. */
  void matched(long more) {
    keys.addAndGet(more);
  }

  /**
   * Starts a part.
   *
   * @param keysOfPart the number of keys in the part, queried when it is exhausted
   */
  Part begin(ReadRequest request, DoubleSupplier keysOfPart) {
    Part part = new Part(request, keysOfPart);
    underWay.add(part);
    return part;
  }

  /** Returns the progress from 0 (nothing read, or unknown) to 1. */
  double share() {
    long all = keys.get();
    if (all == 0) {
      return 0;
    }
    double read = ended.sum();
    for (Part part : underWay) {
      read += part.read;
    }
    return Math.min(1, read / all);
  }

  /**
   * Extrapolates an amount to the whole of the reads.
   *
   * @return rounded to two digits; -1 if it is unknown, or not greater
   */
  long ofAll(long soFar) {
    double share = share();
    double all = share == 0 ? 0 : soFar / share;
    if (all <= soFar || all >= Long.MAX_VALUE) {
      return -1;
    }
    double unit = Math.pow(10, Math.max(0, Math.floor(Math.log10(all)) - 1));
    return (long) (Math.ceil(all / unit) * unit);
  }

  /** A range of keys that one cursor reads in order. */
  final class Part {
    private final TimeRange times;
    private final boolean inTurn;
    private final boolean inTime;
    private final DoubleSupplier keysOfPart;
    private long begun;
    private volatile double read;

    private Part(ReadRequest request, DoubleSupplier keysOfPart) {
      this.times = request.times();
      this.inTurn = request.order() == ReadRequest.Order.SERIES_BY_SERIES;
      this.inTime =
          request.newestFirst() == 0
              && times.from() != Long.MIN_VALUE
              && times.to() != Long.MAX_VALUE;
      this.keysOfPart = keysOfPart;
    }

    /** Notes the first sample of another key. */
    void keyBegun() {
      begun++;
    }

    /**
     * Notes that samples of the key up to a time were read. Ignored if the read alternates between
     * keys.
     */
    void readUpTo(long time) {
      if (!inTurn) {
        return;
      }
      double width = (double) times.to() - times.from();
      double ofKey = inTime && width > 0 ? ((double) time - times.from()) / width : HALF;
      read = begun - 1 + Math.clamp(ofKey, 0, 1);
    }

    /** Notes the end of the part. */
    void exhausted() {
      read = keysOfPart.getAsDouble();
    }

    void end() {
      if (underWay.remove(this)) {
        ended.add(read);
      }
    }
  }
}

package dev.varve.query.running;

import dev.varve.engine.ReadRequest;
import dev.varve.model.TimeRange;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.function.DoubleSupplier;

/**
 * How much of what a query has begun to read is read, so that a refusal can say what all of it
 * would have taken. An estimate: every key counts the same, and its samples as if they lay evenly
 * in the range. Reads that were not begun are not in it. Safe for use by several threads.
 */
final class ReadProgress {
  /** Of a key whose place in the range is not known. */
  private static final double HALF = 0.5;

  private final AtomicLong keys = new AtomicLong();
  private final DoubleAdder ended = new DoubleAdder();
  private final Set<Part> underWay = ConcurrentHashMap.newKeySet();

  /** Counts keys that match and are to be read. */
  void matched(long more) {
    keys.addAndGet(more);
  }

  /**
   * Begins a part.
   *
   * @param keysOfPart how many keys it has, asked for when it has come to its end
   */
  Part begin(ReadRequest request, DoubleSupplier keysOfPart) {
    Part part = new Part(request, keysOfPart);
    underWay.add(part);
    return part;
  }

  /** From 0, where nothing is read or known, to 1. */
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
   * What all would take where so much was taken so far.
   *
   * @return rounded to two digits; -1 where it is not known, or would not be more
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

  /** A stretch of keys that one cursor reads, one behind the other. */
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

    /** Samples of another key come. */
    void keyBegun() {
      begun++;
    }

    /** Samples of the key up to a time have come. Where keys alternate it says nothing. */
    void readUpTo(long time) {
      if (!inTurn) {
        return;
      }
      double width = (double) times.to() - times.from();
      double ofKey = inTime && width > 0 ? ((double) time - times.from()) / width : HALF;
      read = begun - 1 + Math.clamp(ofKey, 0, 1);
    }

    /** No more come. */
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

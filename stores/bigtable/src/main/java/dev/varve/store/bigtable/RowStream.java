package dev.varve.store.bigtable;

import com.google.api.gax.rpc.ResponseObserver;
import com.google.api.gax.rpc.StreamController;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one request. They arrive on threads of the client, no more than were requested; one
 * thread takes them.
 */
final class RowStream implements ResponseObserver<ReceivedRow> {
  /** Approximate limit of the size of waiting rows, in bytes; one row may exceed it. */
  private static final long WAITING_BYTES = 1 << 20;

  private static final int FIRST_ROWS = 2;
  private static final int ROWS_MAX = 512;

  private final SegmentRequest request;
  private final Queue<ReceivedRow> rows = new ArrayDeque<>();
  private @Nullable StreamController controller;
  private @Nullable Throwable failure;
  private boolean complete;
  private boolean cancelled;
  private int asked;
  private long takenRows;
  private long takenBytes;

  RowStream(SegmentRequest request) {
    this.request = request;
  }

  SegmentRequest request() {
    return request;
  }

  @Override
  public synchronized void onStart(StreamController started) {
    controller = started;
    started.disableAutoInboundFlowControl();
    if (cancelled) {
      started.cancel();
    } else {
      asked = FIRST_ROWS;
      started.request(FIRST_ROWS);
    }
  }

  @Override
  public synchronized void onResponse(ReceivedRow row) {
    rows.add(row);
    notifyAll();
  }

  @Override
  public synchronized void onError(Throwable error) {
    failure = error;
    notifyAll();
  }

  @Override
  public synchronized void onComplete() {
    complete = true;
    notifyAll();
  }

  /**
   * Waits for the next row.
   *
   * @param atMost the longest time without a row, over all attempts of the request
   * @param ensureWanted called whenever the thread wakes; throws to end the wait
   * @return null at the end
   * @throws FailedCall if the request failed or timed out
   */
  synchronized @Nullable ReceivedRow take(Duration atMost, Runnable ensureWanted)
      throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      ensureWanted.run();
      ReceivedRow row = rows.poll();
      if (row != null) {
        askForMore(row);
        return row;
      }
      if (failure != null) {
        throw new FailedCall(failure);
      }
      if (complete) {
        return null;
      }
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        throw new FailedCall(
            new TimeoutException(
                "nothing arrived for "
                    + atMost.toMillis()
                    + " ms: Bigtable cannot be reached, or is too slow"));
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  private void askForMore(ReceivedRow row) {
    asked--;
    takenRows++;
    takenBytes += row.weight();
    long wanted = Math.clamp(WAITING_BYTES * takenRows / takenBytes, 1, ROWS_MAX);
    StreamController started = controller;
    // A few requests for many rows are cheaper than many requests for one row.
    if (started != null && asked <= wanted / 2) {
      int more = (int) (wanted - asked);
      asked += more;
      started.request(more);
    }
  }

  /** Wakes a thread that waits for a row, so that it runs {@code ensureWanted} again. */
  synchronized void wake() {
    notifyAll();
  }

  synchronized void cancel() {
    cancelled = true;
    StreamController started = controller;
    if (started != null && failure == null && !complete) {
      started.cancel();
    }
  }
}

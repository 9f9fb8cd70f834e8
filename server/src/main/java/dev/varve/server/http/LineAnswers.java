package dev.varve.server.http;

import dev.varve.server.http.ConnectionFigures.Event;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the answers of a line protocol. Many senders never read them, so a write never waits: bytes
 * that the kernel does not accept wait here up to a limit, and whole lines beyond it are dropped
 * and counted. Written by one thread.
 */
final class LineAnswers extends OutputStream {
  private static final Logger LOG = LoggerFactory.getLogger(LineAnswers.class);

  private static final RateLimitedLog FAULTS = new RateLimitedLog("unread answers");

  /** Maximum number of bytes that wait for the client. */
  static final int MAX = 16 << 10;

  /** Time that the client has to read the answers after its last line. */
  private static final long FINISH_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final EndPoint endPoint;
  private final ClientAddress client;
  private final ConnectionFigures figures;

  /** Bytes after those that are being written. Guarded by this, like all fields below. */
  private ByteArrayOutputStream next = new ByteArrayOutputStream(0);

  private int writing;
  private long dropped;
  private boolean failed;

  LineAnswers(EndPoint endPoint, ClientAddress client, ConnectionFigures figures) {
    this.endPoint = endPoint;
    this.client = client;
    this.figures = figures;
  }

  @Override
  public void write(int b) {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public synchronized void write(byte[] bytes, int offset, int length) {
    int end = offset + length;
    int from = offset;
    // TLS accepts bytes before it has sent them, so only a write that completes is certain.
    if (writing == 0 && !failed && !(endPoint instanceof EndPoint.Wrapper)) {
      from = end - flushed(ByteBuffer.wrap(bytes, offset, length));
    }
    int to = failed ? from : fitting(bytes, from, end, from > offset);
    next.write(bytes, from, to - from);
    drop(bytes, to, end);
    if (writing == 0) {
      send();
    }
  }

  /** Sends as much as the kernel accepts at once. Returns the number of remaining bytes. */
  private int flushed(ByteBuffer bytes) {
    try {
      endPoint.flush(bytes);
    } catch (IOException e) {
      failed = true;
      LOG.debug("{} has disconnected, and reads no answers", client, e);
    }
    return bytes.remaining();
  }

  /**
   * Returns the end of the last line for which there is room. A line that was sent in part is
   * completed.
   */
  private int fitting(byte[] bytes, int from, int end, boolean begun) {
    int room = MAX - writing - next.size();
    int fits = from;
    for (int at = from; at < end; at++) {
      boolean inRoom = at - from < room || (begun && fits == from);
      if (!inRoom) {
        break;
      }
      if (bytes[at] == '\n' || at == end - 1) {
        fits = at + 1;
      }
    }
    return fits;
  }

  private void drop(byte[] bytes, int from, int end) {
    long lines = 0;
    for (int at = from; at < end; at++) {
      lines += bytes[at] == '\n' ? 1 : 0;
    }
    if (lines == 0) {
      return;
    }
    if (dropped == 0) {
      FAULTS.warn(
          "dropped",
          client + " does not read its answers: they are dropped, its lines are still taken");
    }
    dropped += lines;
    figures.count(Event.LINE_ANSWER_DROPPED, lines);
  }

  private void send() {
    if (next.size() == 0 || failed) {
      return;
    }
    byte[] bytes = next.toByteArray();
    next = new ByteArrayOutputStream(0);
    writing = bytes.length;
    endPoint.write(Callback.from(() -> sent(null), this::sent), ByteBuffer.wrap(bytes));
  }

  private synchronized void sent(@Nullable Throwable failure) {
    writing = 0;
    failed |= failure != null;
    send();
    notifyAll();
  }

  /**
   * Waits a short time for the client to read the last answers. The connection is closed
   * afterwards.
   */
  synchronized void finish() throws InterruptedException {
    long end = System.nanoTime() + FINISH_NANOS;
    long left = FINISH_NANOS;
    while (writing > 0 && left > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
      left = end - System.nanoTime();
    }
    if (dropped > 0 || writing > 0 || failed) {
      figures.count(Event.ANSWERS_UNREAD);
      FAULTS.warn(
          "connections ended",
          "a connection of %s ended with answers unread, of which %d were dropped; a client that closes without reading loses the lines that are still on their way"
              .formatted(client, dropped));
    }
  }
}

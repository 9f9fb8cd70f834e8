package dev.varve.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request as it arrives. A read waits for the client as long as its pace and the
 * timeout of the request allow, then fails with 408. For one thread.
 */
final class RequestBody extends InputStream {
  /** Maximum number of bytes of an unwanted body that are read to keep the connection usable. */
  private static final int REST_MAX = 1 << 20;

  private final Content.Source source;
  private final long length;
  private final long deadline;
  private final Pace pace;
  private final long minRate;
  private final Runnable onTooSlow;
  private final Semaphore arrived = new Semaphore(0);
  private final byte[] one = new byte[1];
  private Content.@Nullable Chunk chunk;
  private @Nullable HttpError failed;
  private long count;
  private volatile boolean ended;

  /**
   * Creates a body.
   *
   * @param length announced length; -1 if there is none
   * @param deadline time by which all of it must have arrived, by {@link System#nanoTime}
   * @param onTooSlow called once if the client is too slow
   */
  RequestBody(
      Content.Source source,
      long length,
      long deadline,
      ConnectionLimits limits,
      Runnable onTooSlow) {
    this.source = source;
    this.length = length;
    this.deadline = deadline;
    this.pace = new Pace(limits.minRate(), limits.grace());
    this.minRate = limits.minRate();
    this.onTooSlow = onTooSlow;
  }

  /** Returns whether the whole body has arrived. May be called by any thread. */
  boolean ended() {
    return ended;
  }

  @Override
  public int read() throws IOException {
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] buffer, int offset, int wanted) throws IOException {
    if (wanted == 0) {
      return 0;
    }
    Content.Chunk next = next();
    int read = next.get(buffer, offset, wanted);
    if (!next.hasRemaining()) {
      next.release();
      chunk = next.isLast() ? Content.Chunk.EOF : null;
    }
    if (read == 0) {
      ended = true;
      return -1;
    }
    count += read;
    ended |= count == length || (chunk != null && chunk.isLast() && !chunk.hasRemaining());
    return read;
  }

  /** Returns a chunk that has bytes or is the last one. */
  private Content.Chunk next() throws IOException {
    if (failed != null) {
      throw failed;
    }
    while (true) {
      Content.Chunk held = chunk;
      if (held != null) {
        return held;
      }
      Content.Chunk next = source.read();
      if (next == null) {
        await();
      } else if (Content.Chunk.isFailure(next)) {
        Throwable failure = next.getFailure();
        if (failure instanceof HttpException malformed) {
          throw new HttpError(
              malformed.getCode(), "the body is malformed: " + malformed.getReason());
        }
        throw new ClientGoneException(
            failure instanceof IOException io ? io : new IOException(failure));
      } else if (next.hasRemaining()) {
        pace.moved(next.remaining());
        chunk = next;
        return next;
      } else if (next.isLast()) {
        chunk = next;
        return next;
      } else {
        next.release();
      }
    }
  }

  private void await() throws IOException {
    long start = System.nanoTime();
    long ofRequest = deadline - start;
    source.demand(Invocable.from(Invocable.InvocationType.NON_BLOCKING, arrived::release));
    try {
      if (!arrived.tryAcquire(Math.min(ofRequest, pace.left()), TimeUnit.NANOSECONDS)) {
        throw tooLate(ofRequest <= pace.left());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClientGoneException(new IOException("interrupted", e));
    }
    pace.waited(System.nanoTime() - start);
  }

  private HttpError tooLate(boolean timeIsUp) {
    HttpError late;
    if (timeIsUp) {
      late = new HttpError(408, "the body did not come within the time of a request");
    } else {
      late =
          new HttpError(
              408,
              "the body came at less than %d bytes/s (connections.min-rate); %d bytes were received"
                  .formatted(minRate, count));
    }
    // The demanded chunk may still arrive, so nothing can be read after this.
    failed = late;
    onTooSlow.run();
    return late;
  }

  /**
   * Reads and discards what a client still sends after its answer, until it closes its half of the
   * connection. A connection that is closed with unread bytes is reset, and a reset can overtake
   * the answer.
   *
   * @param nanos maximum time
   */
  void discardRest(long nanos) {
    long end = System.nanoTime() + nanos;
    while (failed == null && !ended) {
      Content.Chunk next = source.read();
      if (next == null) {
        source.demand(Invocable.from(Invocable.InvocationType.NON_BLOCKING, arrived::release));
        if (!arrivesBy(end)) {
          return;
        }
      } else if (Content.Chunk.isFailure(next)) {
        return;
      } else {
        next.release();
        ended = next.isLast();
      }
      if (System.nanoTime() - end > 0) {
        return;
      }
    }
  }

  private boolean arrivesBy(long end) {
    try {
      return arrived.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Releases what was received and will not be read. */
  void release() {
    Content.Chunk held = chunk;
    if (held != null) {
      held.release();
      chunk = Content.Chunk.EOF;
    }
  }

  @Override
  public int available() {
    Content.Chunk held = chunk;
    return held == null ? 0 : held.remaining();
  }

  @Override
  public void close() throws IOException {
    byte[] rest = new byte[4 << 10];
    for (int read = 0; read < REST_MAX && !ended && failed == null; ) {
      read += Math.max(read(rest, 0, rest.length), 0);
    }
  }
}

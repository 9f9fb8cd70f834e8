package dev.varve.server.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.FutureCallback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection that is not HTTP, as two blocking streams for a line protocol. */
final class LineConnection extends AbstractConnection implements Connection.UpgradeTo {
  private static final Logger LOG = LoggerFactory.getLogger(LineConnection.class);

  /** Time for which the server, when it stops, reads what senders have already sent. */
  private static final long LAST_READS_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int AHEAD = 16 << 10;

  private final StreamProtocol protocol;
  private final Guard.Lines guard;
  private final WriteBudget budget;
  private final ClientAddress client;
  private final ConnectionFigures figures;

  /**
   * Bytes that were read ahead; empty during silence, because most connections are silent most of
   * the time.
   */
  private ByteBuffer early = BufferUtil.EMPTY_BUFFER;

  private volatile boolean stopping;
  private volatile long stopped;

  /**
   * Creates the connection.
   *
   * @param guard decides whether the connection is served
   * @param budget budget for received bytes
   * @param client the client of the connection
   */
  LineConnection(
      EndPoint endPoint,
      Executor executor,
      StreamProtocol protocol,
      Guard.Lines guard,
      WriteBudget budget,
      ClientAddress client,
      ConnectionFigures figures,
      long idleMillis) {
    super(endPoint, executor);
    this.protocol = protocol;
    this.guard = guard;
    this.budget = budget;
    this.client = client;
    this.figures = figures;
    endPoint.setIdleTimeout(idleMillis);
  }

  ClientAddress client() {
    return client;
  }

  @Override
  public void onUpgradeTo(ByteBuffer buffer) {
    early = BufferUtil.allocate(buffer.remaining());
    BufferUtil.append(early, buffer);
  }

  @Override
  public void onOpen() {
    super.onOpen();
    Thread.ofVirtual().name("varve-line").start(this::serve);
  }

  @Override
  public void onFillable() {
    throw new IllegalStateException("reading waits by callbacks of its own");
  }

  /** Stops waiting for bytes; received bytes are still processed. */
  void stop() {
    stopped = System.nanoTime();
    stopping = true;
    // The end of the input wakes the waiting reader.
    if (getEndPoint() instanceof AbstractEndPoint endPoint) {
      endPoint.getFillInterest().onFail(new EOFException("the server stops"));
    }
  }

  private void serve() {
    LineAnswers answers = new LineAnswers(getEndPoint(), client, figures);
    try (WriteBudget.Reservation memory = budget.open(client)) {
      serve(new In(), answers, memory);
      answers.finish();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      LOG.debug("line connection of {} ended", getEndPoint().getRemoteSocketAddress(), e);
    } catch (RuntimeException e) {
      LOG.error("line connection of {} failed", getEndPoint().getRemoteSocketAddress(), e);
    } finally {
      getEndPoint().close();
    }
  }

  /** Serves the connection if the guard lets it in, which is known after the first byte. */
  private void serve(In in, LineAnswers answers, WriteBudget.Reservation memory)
      throws IOException {
    if (!guard.equals(Guard.Lines.NONE) && !in.hasMore()) {
      return;
    }
    try {
      Sender sender = guard.sender(ServerTls.certificate(getEndPoint()), client);
      sender.now();
      protocol.serve(sender, in, answers, memory);
    } catch (SenderRefusedException e) {
      answers.write(("error: " + e.getMessage() + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  private final class In extends InputStream {
    private final byte[] one = new byte[1];

    @Override
    public int read() throws IOException {
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      if (!hasMore()) {
        return -1;
      }
      int count = Math.min(length, early.remaining());
      early.get(buffer, offset, count);
      return count;
    }

    /** Waits until a byte has arrived; false if none will. */
    private boolean hasMore() throws IOException {
      while (!early.hasRemaining()) {
        boolean last = stopping;
        if (last && System.nanoTime() - stopped > LAST_READS_NANOS) {
          return false;
        }
        if (early.capacity() < AHEAD) {
          early = BufferUtil.allocate(AHEAD);
        }
        BufferUtil.clear(early);
        int read = getEndPoint().fill(early);
        if (read < 0 || (read == 0 && last)) {
          return false;
        }
        if (read == 0) {
          early = BufferUtil.EMPTY_BUFFER;
          await();
        }
      }
      return true;
    }

    /** Waits for bytes, or until the server stops, in which case there may be bytes too. */
    private void await() throws IOException {
      FutureCallback ready = new FutureCallback();
      getEndPoint().fillInterested(ready);
      if (stopping) {
        return;
      }
      try {
        ready.get();
      } catch (ExecutionException e) {
        if (!stopping) {
          throw new IOException(e.getCause());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }

    @Override
    public int available() {
      return early.remaining();
    }
  }
}

package dev.varve.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.FutureCallback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection that turned out not to be HTTP: two blocking streams for a protocol of its own. */
final class LineConnection extends AbstractConnection implements Connection.UpgradeTo {
  private static final Logger LOG = LoggerFactory.getLogger(LineConnection.class);

  /** How long a client may take to read an answer of a line or two. */
  private static final long WRITE_SECONDS = 30;

  /** So long it is read on, when the server stops, what a sender has on its way. */
  private static final long LAST_READS_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final StreamProtocol protocol;
  private final ByteBuffer early = BufferUtil.allocate(16 << 10);
  private volatile boolean stopping;
  private volatile long stopped;

  LineConnection(EndPoint endPoint, Executor executor, StreamProtocol protocol, long idleMillis) {
    super(endPoint, executor);
    this.protocol = protocol;
    endPoint.setIdleTimeout(idleMillis);
  }

  @Override
  public void onUpgradeTo(ByteBuffer buffer) {
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

  /** No more is waited for; what has come is served to its end. */
  void stop() {
    stopped = System.nanoTime();
    stopping = true;
    // Whoever waits for input is woken by its end.
    if (getEndPoint() instanceof AbstractEndPoint endPoint) {
      endPoint.getFillInterest().onFail(new java.io.EOFException("the server stops"));
    }
  }

  private void serve() {
    try {
      protocol.serve(new In(), new Out());
    } catch (IOException e) {
      LOG.debug("line connection of {} ended", getEndPoint().getRemoteSocketAddress(), e);
    } catch (RuntimeException e) {
      LOG.error("line connection of {} failed", getEndPoint().getRemoteSocketAddress(), e);
    } finally {
      getEndPoint().close();
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
      while (!early.hasRemaining()) {
        boolean last = stopping;
        if (last && System.nanoTime() - stopped > LAST_READS_NANOS) {
          return -1;
        }
        BufferUtil.clear(early);
        int read = getEndPoint().fill(early);
        if (read < 0 || (read == 0 && last)) {
          return -1;
        }
        if (read == 0) {
          await();
        }
      }
      int count = Math.min(length, early.remaining());
      early.get(buffer, offset, count);
      return count;
    }

    /** Waits for bytes, or until the server stops: then there may be some, too. */
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

  private final class Out extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      FutureCallback done = new FutureCallback();
      getEndPoint()
          .write(
              Callback.from(done::succeeded, done::failed), ByteBuffer.wrap(bytes, offset, length));
      try {
        done.get(WRITE_SECONDS, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        throw new IOException(e.getCause());
      } catch (TimeoutException e) {
        throw new IOException("the client reads no answers", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }
  }
}

package dev.varve.server.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * A connection that detects whether the client disconnects while a request is in progress. HTTP/1.1
 * does not read during that time and would not notice. Bytes that the check reads are kept for the
 * next request.
 */
final class WatchedEndPoint extends SocketChannelEndPoint {
  /**
   * Maximum number of bytes that a check reads ahead. A client that sends more is not seen to
   * disconnect.
   */
  private static final int AHEAD = 1 << 10;

  /** Guards reading by the connection and by {@link #hasDisconnected}. */
  private final Object reading = new Object();

  private final OpenConnection connection;
  private final Consumer<OpenConnection> onClose;
  private @Nullable ByteBuffer ahead;

  /**
   * @param onClose receives the connection once it is closed
   */
  WatchedEndPoint(
      SocketChannel channel,
      ManagedSelector selector,
      SelectionKey key,
      Scheduler scheduler,
      OpenConnection connection,
      Consumer<OpenConnection> onClose) {
    super(channel, selector, key, scheduler);
    this.connection = connection;
    this.onClose = onClose;
    connection.endPoint(this);
  }

  /** Returns the connection below encryption. */
  static WatchedEndPoint below(EndPoint endPoint) {
    return (WatchedEndPoint)
        (endPoint instanceof EndPoint.Wrapper wrapper ? wrapper.unwrap() : endPoint);
  }

  OpenConnection connection() {
    return connection;
  }

  @Override
  public void onClose(@Nullable Throwable failure) {
    try {
      super.onClose(failure);
    } finally {
      onClose.accept(connection);
    }
  }

  /** Returns whether the client has closed its half or all of the connection. */
  boolean hasDisconnected() {
    synchronized (reading) {
      if (!isOpen() || isInputShutdown()) {
        return true;
      }
      ByteBuffer probe = ahead == null ? BufferUtil.allocate(AHEAD) : ahead;
      try {
        int read = 1;
        while (read > 0 && probe.remaining() < AHEAD) {
          read = super.fill(probe);
        }
        return read < 0;
      } catch (IOException e) {
        return true;
      } finally {
        if (probe.hasRemaining()) {
          ahead = probe;
        }
      }
    }
  }

  @Override
  public int fill(ByteBuffer buffer) throws IOException {
    int filled = fillWithAhead(buffer);
    if (filled > 0) {
      connection.received();
    }
    return filled;
  }

  private int fillWithAhead(ByteBuffer buffer) throws IOException {
    synchronized (reading) {
      if (ahead == null) {
        return super.fill(buffer);
      }
      int position = BufferUtil.flipToFill(buffer);
      int moved = BufferUtil.put(ahead, buffer);
      BufferUtil.flipToFlush(buffer, position);
      if (!ahead.hasRemaining()) {
        ahead = null;
      }
      return moved;
    }
  }

  @Override
  public void fillInterested(Callback callback) {
    if (hasAhead()) {
      callback.succeeded();
    } else {
      super.fillInterested(callback);
    }
  }

  @Override
  public boolean tryFillInterested(Callback callback) {
    if (hasAhead()) {
      callback.succeeded();
      return true;
    }
    return super.tryFillInterested(callback);
  }

  private boolean hasAhead() {
    synchronized (reading) {
      return ahead != null;
    }
  }
}

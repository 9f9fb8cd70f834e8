package dev.varve.server.http;

import dev.varve.server.http.ConnectionFigures.Event;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EndPoint;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An open connection with its client and state. Thread-safe. */
final class OpenConnection {
  private static final Logger LOG = LoggerFactory.getLogger(OpenConnection.class);

  /** Time in which a busy server reads a header that has begun to arrive. */
  private static final long READ_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** The state of a connection. */
  private enum State {
    /** No byte of a request has arrived. */
    SILENT,
    /** A part of a header has arrived. */
    HEADER,
    /** A request is in progress. */
    REQUEST,
    /** It uses a line protocol. */
    LINES,
    CLOSED
  }

  private final SocketChannel channel;
  private final InetAddress peer;
  private final ClientAddress client;
  private final boolean proxy;
  private final @Nullable Event reservedFor;
  private final Duration header;
  private final boolean local;
  private volatile @Nullable EndPoint endPoint;

  /** Guarded by this, like all fields below. */
  private State state = State.SILENT;

  private long since;
  private boolean deadline;
  private boolean told;

  /**
   * Creates an open connection.
   *
   * @param proxy whether the peer is a trusted proxy
   * @param reservedFor the limit that put it into a reserve; null if it is not in one
   * @param header maximum time for the header of a request
   * @param deadline whether that time runs from now instead of from the first byte
   */
  OpenConnection(
      SocketChannel channel,
      InetAddress peer,
      boolean proxy,
      @Nullable Event reservedFor,
      Duration header,
      boolean deadline) {
    this(channel, peer, proxy, reservedFor, header, deadline, false);
  }

  private OpenConnection(
      SocketChannel channel,
      InetAddress peer,
      boolean proxy,
      @Nullable Event reservedFor,
      Duration header,
      boolean deadline,
      boolean local) {
    this.channel = channel;
    this.peer = peer;
    this.client = ClientAddress.of(peer);
    this.proxy = proxy;
    this.reservedFor = reservedFor;
    this.header = header;
    this.deadline = deadline;
    this.local = local;
    this.since = System.nanoTime();
  }

  /**
   * Creates a connection through a Unix socket, which has no limits because its user may read the
   * data directory.
   */
  static OpenConnection local(SocketChannel channel) {
    return new OpenConnection(
        channel, InetAddress.getLoopbackAddress(), false, null, Duration.ZERO, false, true);
  }

  InetAddress peer() {
    return peer;
  }

  ClientAddress client() {
    return client;
  }

  boolean isProxy() {
    return proxy;
  }

  boolean isReserve() {
    return reservedFor != null;
  }

  /** Returns the limit that put the connection into a reserve; null if it is not in one. */
  @Nullable Event reservedFor() {
    return reservedFor;
  }

  /** Returns the maximum time for the header of a request. */
  Duration header() {
    return header;
  }

  SocketChannel channel() {
    return channel;
  }

  void endPoint(EndPoint given) {
    endPoint = given;
  }

  /** Records that bytes have arrived. */
  synchronized void received() {
    if (state == State.SILENT) {
      enter(State.HEADER, true);
    }
  }

  /** Records that the connection uses a line protocol. */
  synchronized void beginLines() {
    if (state != State.CLOSED) {
      enter(State.LINES, false);
    }
  }

  /** Records that a header is complete; false if the connection is being closed. */
  synchronized boolean beginRequest() {
    if (state == State.CLOSED) {
      return false;
    }
    enter(State.REQUEST, false);
    return true;
  }

  synchronized void endRequest() {
    if (state == State.REQUEST) {
      enter(State.SILENT, false);
    }
  }

  private void enter(State next, boolean withDeadline) {
    state = next;
    since = System.nanoTime();
    deadline = withDeadline;
  }

  synchronized boolean speaksLines() {
    return state == State.LINES;
  }

  /** Returns whether no request is in progress, so that closing the connection loses no work. */
  synchronized boolean isIdle() {
    return state == State.SILENT || state == State.HEADER;
  }

  /**
   * Returns whether the connection may make room for another: it is idle, and if bytes of a request
   * have arrived, the server has had time to read the rest.
   */
  synchronized boolean isEvictable(long now) {
    return state == State.SILENT || (state == State.HEADER && now - since > READ_GRACE_NANOS);
  }

  /** Returns the time of the last change of state, by {@link System#nanoTime}. */
  synchronized long since() {
    return since;
  }

  /** Returns whether the header of a request has taken too long. */
  synchronized boolean isLate(long now) {
    return deadline && !local && isIdle() && now - since > header.toNanos();
  }

  /**
   * Prevents further requests; false if one is in progress. The caller must call {@link #close}.
   */
  synchronized boolean expel() {
    if (!isIdle()) {
      return false;
    }
    told = state == State.HEADER || reservedFor != null;
    state = State.CLOSED;
    return true;
  }

  /** Like {@link #expel}, but only if the server has read everything that has arrived. */
  synchronized boolean expelUnlessUnread() {
    return isEvictable(System.nanoTime()) && !hasUnread() && expel();
  }

  /**
   * Returns whether bytes wait in the kernel: a request may have arrived while all processors were
   * busy.
   */
  private boolean hasUnread() {
    try {
      return channel.socket().getInputStream().available() > 0;
    } catch (IOException e) {
      LOG.trace("a connection of {} is closed already", peer, e);
      return false;
    }
  }

  /**
   * Closes the connection in any state.
   *
   * @param answer sent first if the client was expelled from a reserve or during a header
   */
  void close(byte[] answer) {
    boolean tell;
    synchronized (this) {
      tell = told;
    }
    if (tell) {
      tell(channel, answer);
    }
    EndPoint open = endPoint;
    if (open != null) {
      open.close();
    }
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("a connection of {} was not closed well", peer, e);
    }
  }

  /** Sends as much as fits without waiting for the client. */
  static void tell(SocketChannel channel, byte[] answer) {
    try {
      channel.write(ByteBuffer.wrap(answer));
      channel.shutdownOutput();
    } catch (IOException e) {
      LOG.debug("the reason for closing a connection could not be sent", e);
    }
  }
}

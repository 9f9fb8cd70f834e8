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

/**
 * A connection that is open: whose it is, and what it is doing. Safe for use by several threads.
 */
final class OpenConnection {
  private static final Logger LOG = LoggerFactory.getLogger(OpenConnection.class);

  /** Time in which a busy server reads a header that has begun to arrive. */
  private static final long READ_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** What a connection is doing. */
  private enum State {
    /** Nothing has come of a request yet. */
    SILENT,
    /** The header of a request has begun, and not ended. */
    HEADER,
    /** A request is under way. */
    REQUEST,
    /** It speaks lines. */
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

  /** Guarded by this, as what follows. */
  private State state = State.SILENT;

  private long since;
  private boolean deadline;
  private boolean told;

  /**
   * @param proxy whether the peer is a trusted proxy
   * @param reservedFor why it is one of the reserve; null where it is none
   * @param header how long the header of a request may take
   * @param deadline whether that counts from now on, and not only from the first byte
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

  /** Through a Unix socket, by a user who may read the data directory: without limits. */
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

  /** Which limit was reached when the connection was taken into the reserve; null if none was. */
  @Nullable Event reservedFor() {
    return reservedFor;
  }

  /** How long the header of a request may take. */
  Duration header() {
    return header;
  }

  SocketChannel channel() {
    return channel;
  }

  void endPoint(EndPoint given) {
    endPoint = given;
  }

  /** Bytes have come, of whatever. */
  synchronized void received() {
    if (state == State.SILENT) {
      enter(State.HEADER, true);
    }
  }

  /** The connection has turned out to speak lines. */
  synchronized void beginLines() {
    if (state != State.CLOSED) {
      enter(State.LINES, false);
    }
  }

  /** A header is complete; false where the connection is being closed. */
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

  /** Whether no request is under way, so that closing it loses no work. */
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

  /** Since when it is doing what it does, by {@link System#nanoTime}. */
  synchronized long since() {
    return since;
  }

  /** Whether the header of a request has taken too long. */
  synchronized boolean isLate(long now) {
    return deadline && !local && isIdle() && now - since > header.toNanos();
  }

  /** Lets no request begin any more; false where one has. {@link #close} is to follow. */
  synchronized boolean expel() {
    if (!isIdle()) {
      return false;
    }
    told = state == State.HEADER || reservedFor != null;
    state = State.CLOSED;
    return true;
  }

  /** The same, but only if the server has read all that has arrived and knows what it is. */
  synchronized boolean expelUnlessUnread() {
    return isEvictable(System.nanoTime()) && !hasUnread() && expel();
  }

  /** Whether bytes wait in the kernel: a request may have come while all processors were busy. */
  private boolean hasUnread() {
    try {
      return channel.socket().getInputStream().available() > 0;
    } catch (IOException e) {
      LOG.trace("a connection of {} is closed already", peer, e);
      return false;
    }
  }

  /**
   * Closes the connection, whatever it is doing.
   *
   * @param answer is sent before to a client that was expelled amid a header, or from a reserve
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

  /** Sends what fits at once; who does not take that is not waited for. */
  static void tell(SocketChannel channel, byte[] answer) {
    try {
      channel.write(ByteBuffer.wrap(answer));
      channel.shutdownOutput();
    } catch (IOException e) {
      LOG.debug("a connection could not be told why it is closed", e);
    }
  }
}

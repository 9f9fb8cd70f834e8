package dev.varve.server.http;

import dev.varve.server.http.ConnectionFigures.Event;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open connections of all listeners, and their numbers by client. Thread-safe.
 *
 * <p>If a limit is reached, the connection that has waited longest for a request makes room: one of
 * the same client if that has reached its own limit, otherwise one of the client with the most. If
 * none waits, the new connection goes into the reserve of its listener, which serves only
 * operators' requests.
 */
final class Connections implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

  private static final RateLimitedLog FAULTS = new RateLimitedLog("connections");

  /** Time after which a request on a connection of the reserve makes room for another. */
  private static final long RESERVE_REQUEST_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Time that a client has to send its request, and the server to read it. */
  private static final long RESERVE_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Maximum time that a new connection waits for room in a full reserve. */
  private static final long RESERVE_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** While the server lags, a reserve may hold this multiple of its size. */
  private static final int RESERVE_OVERFLOW = 2;

  /** Time between two attempts of a new connection that waits. */
  private static final long RESERVE_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Minimum time between two searches for connections that were closed without notice. */
  private static final long FORGET_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final long TICK_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long TICK_MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final ConnectionLimits limits;
  private final ConnectionFigures figures;
  private final boolean plain;
  private final Thread deadlines;
  private volatile boolean closed;

  /**
   * Closed connections that are still counted. Closing does not wait for the lock, because the
   * threads that close would queue before those that accept.
   */
  private final Queue<OpenConnection> gone = new ConcurrentLinkedQueue<>();

  /** All connections outside of the reserves. Guarded by this, like all fields below. */
  private final Set<OpenConnection> regular = new LinkedHashSet<>();

  private long forgotten = System.nanoTime();
  private final List<Door> doors = new ArrayList<>();
  private final EvictionPlan plan = new EvictionPlan();
  private final Map<ClientAddress, Integer> held = new HashMap<>();
  private final Map<ClientAddress, Integer> requests = new HashMap<>();

  /**
   * Begins to watch connections.
   *
   * @param plain whether the connections are not encrypted, so that the server can tell clients why
   *     it closes them
   */
  Connections(ConnectionLimits limits, ConnectionFigures figures, boolean plain) {
    this.limits = limits;
    this.figures = figures;
    this.plain = plain;
    long tick = Math.clamp(limits.header().toNanos() / 20, TICK_MIN_NANOS, TICK_MAX_NANOS);
    this.deadlines =
        Thread.ofPlatform().daemon().name("varve-http-deadlines").start(() -> watch(tick));
  }

  /** Admits the connections of one listener. */
  final class Door {
    private final boolean lines;
    private final boolean operations;
    private final Set<OpenConnection> reserve = new LinkedHashSet<>();

    private Door(boolean lines, boolean operations) {
      this.lines = lines;
      this.operations = operations;
    }

    /**
     * Admits a connection and configures it. A connection without room gets an answer and is
     * closed.
     *
     * @return null if there was no room
     * @throws IOException if it cannot be configured; it is closed
     */
    @Nullable OpenConnection admit(SocketChannel channel) throws IOException {
      try {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        InetAddress peer =
            channel.getRemoteAddress() instanceof InetSocketAddress address
                ? address.getAddress()
                : InetAddress.getLoopbackAddress();
        return Connections.this.admit(this, channel, peer);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    }
  }

  /**
   * Creates the door of a listener.
   *
   * @param lines whether clients may speak a line protocol, and may therefore wait before their
   *     first byte
   * @param operations whether the listener answers operators and therefore has a reserve
   */
  synchronized Door door(boolean lines, boolean operations) {
    Door door = new Door(lines, operations);
    doors.add(door);
    return door;
  }

  /**
   * Admits a connection. If the reserve is full of connections that the server has had no time to
   * serve, the new connection waits, and so do those after it in the kernel's queue: evicting the
   * others would reject operators' requests. After the wait the reserve accepts the connection
   * beyond its size, up to a multiple of it.
   */
  private @Nullable OpenConnection admit(Door door, SocketChannel channel, InetAddress peer) {
    long giveUp = System.nanoTime() + RESERVE_WAIT_NANOS;
    Attempt attempt = attempt(door, channel, peer, false);
    while (attempt.mayRepeat()) {
      LockSupport.parkNanos(this, RESERVE_LOOK_NANOS);
      attempt = attempt(door, channel, peer, closed || System.nanoTime() - giveUp >= 0);
    }
    if (attempt.evicted() != null) {
      evict(attempt.evicted());
    }
    if (attempt.full() != null && attempt.admitted() == null) {
      refuse(channel, ClientAddress.of(peer), attempt.full());
    }
    return attempt.admitted();
  }

  /**
   * The outcome of an attempt to admit a connection.
   *
   * @param evicted the connection that makes room for it; null for none
   * @param full the reached limit; null if there was room outside of the reserve
   * @param mayRepeat whether the reserve will have room soon
   */
  private record Attempt(
      @Nullable OpenConnection admitted,
      @Nullable OpenConnection evicted,
      @Nullable Event full,
      boolean mayRepeat) {}

  private synchronized Attempt attempt(
      Door door, SocketChannel channel, InetAddress peer, boolean isLast) {
    boolean proxy = limits.proxies().contains(peer);
    ClientAddress client = ClientAddress.of(peer);
    OpenConnection evicted = null;
    forgetGone();
    Event full = full(client, proxy);
    if (full != null && System.nanoTime() - forgotten > FORGET_NANOS) {
      forgetClosed();
      full = full(client, proxy);
    }
    if (full != null) {
      evicted = evictable(full, client);
      full = evicted == null ? full : null;
    }
    if (full == null) {
      OpenConnection admitted =
          new OpenConnection(channel, peer, proxy, null, limits.header(), !door.lines);
      regular.add(admitted);
      held.merge(client, 1, Integer::sum);
      return new Attempt(admitted, evicted, null, false);
    }
    if (!door.operations) {
      return new Attempt(null, null, full, false);
    }
    boolean mayOverflow = isLast && door.reserve.size() < RESERVE_OVERFLOW * limits.reserve();
    evicted = evictableOf(door.reserve, isLast && !mayOverflow);
    if (evicted == null && door.reserve.size() >= limits.reserve() && !mayOverflow) {
      return new Attempt(null, null, full, !isLast);
    }
    OpenConnection admitted =
        new OpenConnection(channel, peer, proxy, full, limits.reserveHeader(), true);
    door.reserve.add(admitted);
    return new Attempt(admitted, evicted, full, false);
  }

  private @Nullable Event full(ClientAddress client, boolean proxy) {
    if (!proxy && held.getOrDefault(client, 0) >= limits.perClient()) {
      return Event.REFUSED_PER_CLIENT;
    }
    return regular.size() >= limits.max() ? Event.REFUSED_MAX : null;
  }

  /** Expels a connection to make room for a new one; null if none can be expelled. */
  private @Nullable OpenConnection evictable(Event full, ClientAddress newcomer) {
    OpenConnection found = plan.expel(regular, full == Event.REFUSED_PER_CLIENT ? newcomer : null);
    if (found != null) {
      forget(found);
    }
    return found;
  }

  /**
   * Expels a connection of a reserve; null if the reserve is not full, or none can be expelled.
   *
   * @param hurried whether to include connections that the server has had no time to serve
   */
  private @Nullable OpenConnection evictableOf(Set<OpenConnection> reserve, boolean hurried) {
    if (reserve.size() < limits.reserve()) {
      return null;
    }
    Map<ClientAddress, Integer> shares = new HashMap<>();
    reserve.forEach(other -> shares.merge(other.client(), 1, Integer::sum));
    OpenConnection found =
        longestIdle(reserve, other -> shares.getOrDefault(other.client(), 0), hurried);
    if (found == null) {
      long now = System.nanoTime();
      found =
          reserve.stream()
              .filter(other -> now - other.since() > RESERVE_REQUEST_NANOS)
              .min(Comparator.comparingLong(other -> other.since() - now))
              .orElse(null);
    }
    if (found != null) {
      reserve.remove(found);
    }
    return found;
  }

  /**
   * Expels the connection that has waited longest among those of the clients with the most
   * connections.
   */
  private static @Nullable OpenConnection longestIdle(
      Set<OpenConnection> among, ToIntFunction<OpenConnection> share, boolean hurried) {
    long now = System.nanoTime();
    // A copy, because states that change during a sort would break it.
    record Idle(OpenConnection connection, int share, long since) {}
    List<OpenConnection> idle =
        among.stream()
            .filter(one -> one.isIdle() && (hurried || now - one.since() > RESERVE_GRACE_NANOS))
            .map(one -> new Idle(one, share.applyAsInt(one), one.since() - now))
            .sorted(Comparator.comparingInt(Idle::share).reversed().thenComparingLong(Idle::since))
            .map(Idle::connection)
            .toList();
    return idle.stream()
        .filter(OpenConnection::expelUnlessUnread)
        .findFirst()
        .or(() -> idle.stream().filter(one -> hurried && one.expel()).findFirst())
        .orElse(null);
  }

  private void evict(OpenConnection evicted) {
    figures.count(Event.EVICTED);
    FAULTS.warn(
        "evicted",
        "an idle connection of %s is closed to make room for another".formatted(evicted.client()));
    evicted.close(answer(503, "the server needs the connection for others"));
  }

  /**
   * Answers in HTTP, because the protocol of the client is unknown; a client of a line protocol can
   * read it too.
   */
  private void refuse(SocketChannel channel, ClientAddress client, Event full) {
    countRefusal(full, client);
    OpenConnection.tell(channel, answer(503, reason(full)));
    try (channel) {
      LOG.debug("refused a connection of {}", client);
    } catch (IOException e) {
      LOG.debug("a connection of {} was not closed well", client, e);
    }
  }

  /** Counts and logs a connection that was refused. */
  void countRefusal(Event full, ClientAddress client) {
    figures.count(full);
    FAULTS.warn("refused", "a connection of %s: %s".formatted(client, reason(full)));
  }

  /** Returns the reason for a refused client. */
  String reason(Event full) {
    return switch (full) {
      case REFUSED_PER_CLIENT ->
          "%d connections of this client are open, as many as one may have (connections.per-client)"
              .formatted(limits.perClient());
      case REFUSED_LINES ->
          "%d connections that speak lines are open, as many as may be (connections.lines)"
              .formatted(limits.lines());
      case REFUSED_LINES_PER_CLIENT ->
          "%d connections of this client speak lines, as many as one may have (a quarter of connections.lines)"
              .formatted(limits.linesPerClient());
      case REFUSED_FORWARDED ->
          "%d requests of this client are under way, as many as one may have (connections.per-client)"
              .formatted(limits.perClient());
      default ->
          "%d connections are open, as many as may be (connections.max)".formatted(limits.max());
    };
  }

  /** Returns the answer as it is sent outside any request: nothing on encrypted connections. */
  private byte[] answer(int status, String text) {
    if (!plain) {
      return new byte[0];
    }
    String body = text + "\n";
    String phrase = status == 408 ? "Request Timeout" : "Service Unavailable\r\nRetry-After: 5";
    String answer =
        "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(status, phrase, body.length(), body);
    return answer.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Begins a request forwarded by a trusted proxy; false if its client has too many in progress.
   */
  synchronized boolean beginForwarded(ClientAddress client) {
    if (requests.getOrDefault(client, 0) >= limits.perClient()) {
      return false;
    }
    requests.merge(client, 1, Integer::sum);
    return true;
  }

  synchronized void endForwarded(ClientAddress client) {
    requests.computeIfPresent(client, (c, count) -> count == 1 ? null : count - 1);
  }

  /** Records that a connection is closed. */
  void remove(OpenConnection connection) {
    gone.add(connection);
  }

  private void forgetGone() {
    for (OpenConnection one = gone.poll(); one != null; one = gone.poll()) {
      OpenConnection connection = one;
      forget(connection);
      doors.forEach(door -> door.reserve.remove(connection));
    }
  }

  private void forget(OpenConnection connection) {
    if (regular.remove(connection)) {
      held.computeIfPresent(connection.client(), (c, count) -> count == 1 ? null : count - 1);
    }
  }

  /** Removes connections that were closed without notice. */
  private synchronized void forgetClosed() {
    forgotten = System.nanoTime();
    forgetGone();
    List<OpenConnection> closed = new ArrayList<>();
    for (OpenConnection connection : regular) {
      if (!connection.channel().isOpen()) {
        closed.add(connection);
      }
    }
    closed.forEach(this::forget);
    doors.forEach(door -> door.reserve.removeIf(other -> !other.channel().isOpen()));
  }

  private synchronized List<OpenConnection> all() {
    forgetGone();
    List<OpenConnection> all = new ArrayList<>(regular);
    doors.forEach(door -> all.addAll(door.reserve));
    return all;
  }

  private void watch(long tick) {
    while (!closed) {
      LockSupport.parkNanos(this, tick);
      try {
        forgetClosed();
        closeLate();
      } catch (RuntimeException e) {
        LOG.error("connections that are late could not be closed", e);
      }
    }
  }

  private void closeLate() {
    long now = System.nanoTime();
    for (OpenConnection connection : all()) {
      if (connection.isLate(now) && connection.expel()) {
        figures.count(Event.HEADER_DEADLINE);
        FAULTS.warn(
            "header deadline",
            "a connection of %s is closed: no request came within %d ms (connections.header)"
                .formatted(connection.client(), connection.header().toMillis()));
        Event full = connection.reservedFor();
        connection.close(
            full != null
                ? answer(503, reason(full))
                : answer(
                    408,
                    "the header of the request did not come within %d ms"
                        .formatted(connection.header().toMillis())));
      }
    }
  }

  /** Returns the number of open connections, including the reserves. */
  int open() {
    return all().size();
  }

  /** Returns the number of open connections in reserves. */
  synchronized int reserved() {
    forgetGone();
    return doors.stream().mapToInt(door -> door.reserve.size()).sum();
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(deadlines);
  }
}

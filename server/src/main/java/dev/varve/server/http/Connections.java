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
 * The connections that are open on all listeners, and who has how many of them. Safe for use by
 * several threads.
 *
 * <p>Where a limit is reached, the connection that has waited longest for a request makes room: one
 * of the same client where that has reached its own limit, else one of the client that has most.
 * Where none waits, the listener's reserve takes the connection, for requests of operators alone.
 */
final class Connections implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

  private static final RateLimitedLog FAULTS = new RateLimitedLog("connections");

  /** After so long a request on a connection of the reserve makes room for another. */
  private static final long RESERVE_REQUEST_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A client has this long to send its request, and the server to read it. */
  private static final long RESERVE_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** How long a newcomer waits for room in a full reserve, and how often it looks. */
  private static final long RESERVE_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** While the server lags, a reserve may hold this multiple of its size. */
  private static final int RESERVE_OVERFLOW = 2;

  private static final long RESERVE_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** So often at most it is looked which connections are closed, beside what is told of them. */
  private static final long FORGET_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final long TICK_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long TICK_MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final ConnectionLimits limits;
  private final ConnectionFigures figures;
  private final Thread deadlines;
  private volatile boolean closed;

  /**
   * Closed, and not taken out yet: whoever closes a connection does not wait for the lock. Threads
   * that do would stand in line before those that accept.
   */
  private final Queue<OpenConnection> gone = new ConcurrentLinkedQueue<>();

  /** Without the reserves; guarded by this, as what follows. */
  private final Set<OpenConnection> regular = new LinkedHashSet<>();

  private long forgotten = System.nanoTime();
  private final List<Door> doors = new ArrayList<>();
  private final EvictionPlan plan = new EvictionPlan();
  private final Map<ClientAddress, Integer> held = new HashMap<>();
  private final Map<ClientAddress, Integer> requests = new HashMap<>();

  Connections(ConnectionLimits limits, ConnectionFigures figures) {
    this.limits = limits;
    this.figures = figures;
    long tick = Math.clamp(limits.header().toNanos() / 20, TICK_MIN_NANOS, TICK_MAX_NANOS);
    this.deadlines =
        Thread.ofPlatform().daemon().name("varve-http-deadlines").start(() -> watch(tick));
  }

  /** Through which the connections of one listener come. */
  final class Door {
    private final boolean lines;
    private final boolean operations;
    private final Set<OpenConnection> reserve = new LinkedHashSet<>();

    private Door(boolean lines, boolean operations) {
      this.lines = lines;
      this.operations = operations;
    }

    /**
     * Takes a connection and sets it up. One that finds no room is told so and closed.
     *
     * @return null where it found no room
     * @throws IOException if it cannot be set up; it is closed then
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
   * For a listener.
   *
   * @param lines whether its clients may speak lines, and so wait before the first
   * @param operations whether it answers operators, and so has a reserve
   */
  synchronized Door door(boolean lines, boolean operations) {
    Door door = new Door(lines, operations);
    doors.add(door);
    return door;
  }

  /**
   * Admits a connection. If the reserve is full of connections that have had no time to be served,
   * the newcomer waits, and with it those behind it in the kernel's queue: the server lags, and
   * evicting them would turn away requests of operators. After the wait the reserve takes the
   * newcomer in addition, up to a multiple of its size.
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
   * What an attempt to admit a connection came to.
   *
   * @param evicted the connection that makes room for it; null for none
   * @param full the limit that is reached; null if there was room outside of the reserve
   * @param mayRepeat whether there will be room in the reserve soon
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

  /** Expels what makes room for a newcomer; null where nothing can. */
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
   * @param hurried whether to expel also connections that have had no time to be served
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

  /** Expels the one that has waited longest, of those with the largest share. */
  private static @Nullable OpenConnection longestIdle(
      Set<OpenConnection> among, ToIntFunction<OpenConnection> share, boolean hurried) {
    long now = System.nanoTime();
    // What they are doing changes meanwhile, which no sorting would survive.
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

  /** In HTTP, as it is not known yet what the client speaks; who reads lines can read it too. */
  private void refuse(SocketChannel channel, ClientAddress client, Event full) {
    countRefusal(full, client);
    OpenConnection.tell(channel, answer(503, reason(full)));
    try (channel) {
      LOG.debug("refused a connection of {}", client);
    } catch (IOException e) {
      LOG.debug("a connection of {} was not closed well", client, e);
    }
  }

  /** Counts and logs that a client found no room. */
  void countRefusal(Event full, ClientAddress client) {
    figures.count(full);
    FAULTS.warn("refused", "a connection of %s: %s".formatted(client, reason(full)));
  }

  /** What a client is told that found no room. */
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

  private static byte[] answer(int status, String text) {
    String body = text + "\n";
    String phrase = status == 408 ? "Request Timeout" : "Service Unavailable\r\nRetry-After: 5";
    String answer =
        "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(status, phrase, body.length(), body);
    return answer.getBytes(StandardCharsets.US_ASCII);
  }

  /** A request that a trusted proxy has forwarded; false where its client has too many. */
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

  /** Notes that a connection is closed. */
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

  /** Those that were closed before anything could be told of it. */
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

  /** How many are open, the reserves included. */
  int open() {
    return all().size();
  }

  /** How many of them are of a reserve. */
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

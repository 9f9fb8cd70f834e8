package dev.varve.server.http;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The order in which idle connections make room for new ones: repeatedly the one of the client with
 * the most connections that has waited longest. One pass over all connections serves many new ones,
 * because a pass takes about a millisecond and a flood would cause nothing but passes. Not
 * thread-safe.
 */
final class EvictionPlan {
  /** Maximum number of connections chosen in one pass. */
  private static final int BATCH = 64;

  private static final long VALID_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /**
   * After a pass that found no idle connection, the next one waits this many times its duration.
   */
  private static final int REST = 10;

  private static final long REST_MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Deque<OpenConnection> next = new ArrayDeque<>();
  private @Nullable ClientAddress madeFor;
  private long madeAt;
  private long restsUntil;
  private boolean made;

  /** An idle connection in its state during the pass. */
  private record Idle(OpenConnection connection, long since) {}

  /** The idle connections of a client, and the number of all its connections. */
  private static final class Share {
    private final List<Idle> idle = new ArrayList<>();
    private int next;
    private int held;

    private long longest() {
      return idle.get(next).since();
    }
  }

  /**
   * Expels a connection.
   *
   * @param regular all connections
   * @param of the client whose connection makes room; null for any client
   * @return null if none is idle
   */
  @Nullable OpenConnection expel(Collection<OpenConnection> regular, @Nullable ClientAddress of) {
    long now = System.nanoTime();
    boolean valid = made && Objects.equals(of, madeFor) && now - madeAt < VALID_NANOS;
    if (valid) {
      OpenConnection found = first(regular);
      if (found != null || now - restsUntil < 0) {
        return found;
      }
    }
    make(regular, of, now);
    return first(regular);
  }

  private @Nullable OpenConnection first(Collection<OpenConnection> regular) {
    for (OpenConnection one = next.poll(); one != null; one = next.poll()) {
      if (regular.contains(one) && one.expelUnlessUnread()) {
        return one;
      }
    }
    return null;
  }

  private void make(Collection<OpenConnection> regular, @Nullable ClientAddress of, long now) {
    next.clear();
    madeFor = of;
    madeAt = now;
    made = true;
    PriorityQueue<Share> shares =
        new PriorityQueue<>(
            Comparator.comparingInt((Share share) -> share.held)
                .reversed()
                .thenComparingLong(share -> share.longest() - now));
    shares.addAll(idle(regular, of, now));
    for (Share most = shares.poll(); most != null && next.size() < BATCH; most = shares.poll()) {
      next.add(most.idle.get(most.next++).connection());
      most.held--;
      if (most.next < most.idle.size()) {
        shares.add(most);
      }
    }
    boolean none = next.isEmpty();
    long rest = Math.min(REST_MAX_NANOS, REST * (System.nanoTime() - now));
    restsUntil = none ? System.nanoTime() + rest : now;
  }

  /**
   * Groups idle connections by client. Each connection of a trusted proxy counts as a client of its
   * own.
   */
  private static List<Share> idle(
      Collection<OpenConnection> regular, @Nullable ClientAddress of, long now) {
    Map<ClientAddress, Share> clients = new HashMap<>();
    List<Share> all = new ArrayList<>();
    for (OpenConnection one : regular) {
      if (of != null && !of.equals(one.client())) {
        continue;
      }
      Share share =
          one.isProxy() ? new Share() : clients.computeIfAbsent(one.client(), c -> new Share());
      share.held += one.isProxy() ? 0 : 1;
      if (one.isEvictable(now)) {
        share.idle.add(new Idle(one, one.since()));
      }
      if (one.isProxy()) {
        all.add(share);
      }
    }
    all.addAll(clients.values());
    all.removeIf(share -> share.idle.isEmpty());
    all.forEach(share -> share.idle.sort(Comparator.comparingLong(one -> one.since() - now)));
    return all;
  }
}

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
 * Which idle connections make room for newcomers, and in which order: of the client with most the
 * one that has waited longest, again and again. All connections are looked at for many newcomers at
 * once: one look takes about a millisecond, and a flood of newcomers would do nothing else. Not
 * safe for use by several threads.
 */
final class EvictionPlan {
  /** Connections that are found at one look. */
  private static final int BATCH = 64;

  private static final long VALID_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Where none was idle, all are looked at again after so many times the time that it took. */
  private static final int REST = 10;

  private static final long REST_MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Deque<OpenConnection> next = new ArrayDeque<>();
  private @Nullable ClientAddress madeFor;
  private long madeAt;
  private long restsUntil;
  private boolean made;

  /** An idle connection, as it was when it was looked at. */
  private record Idle(OpenConnection connection, long since) {}

  /** The idle connections of a client, and how many it has in all. */
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
   * @param regular those that there are
   * @param of whose it has to be; null for anyone's
   * @return null where none is idle
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

  /** Those of trusted proxies count as if each were of a client of its own, which has no other. */
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

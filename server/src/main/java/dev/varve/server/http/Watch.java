package dev.varve.server.http;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches requests that can be abandoned: whether their client is still connected, and their
 * timeout.
 */
final class Watch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Watch.class);

  private static final long TICK_NANOS = 40_000_000;

  /** A watched request. One thread checks it repeatedly until it is removed. */
  interface Watched {
    void check();
  }

  private final Set<Watched> all = ConcurrentHashMap.newKeySet();
  private final Thread thread;
  private volatile boolean closed;

  Watch() {
    thread = Thread.ofPlatform().daemon().name("varve-http-watch").start(this::run);
  }

  void add(Watched watched) {
    all.add(watched);
    LockSupport.unpark(thread);
  }

  void remove(Watched watched) {
    all.remove(watched);
  }

  private void run() {
    while (!closed) {
      if (all.isEmpty()) {
        LockSupport.park(this);
      } else {
        LockSupport.parkNanos(this, TICK_NANOS);
        all.forEach(Watch::check);
      }
    }
  }

  /** Checks a request. Its failure must not affect the others. */
  private static void check(Watched watched) {
    try {
      watched.check();
    } catch (RuntimeException e) {
      LOG.error("a request could not be given up", e);
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}

package dev.varve.server.http;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** Looks after the requests that can be given up: whether their client is there, and the time. */
final class Watch implements AutoCloseable {
  private static final long TICK_NANOS = 40_000_000;

  /** A request under watch. Checked by one thread, again and again until it is removed. */
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
        all.forEach(Watched::check);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}

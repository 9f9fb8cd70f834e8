package dev.varve.store.rocksdb;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import org.rocksdb.AbstractNativeReference;

/**
 * Native objects with a common lifetime, closed in reverse order of creation. The garbage collector
 * frees none of them. Not safe for use by several threads, except for the count, which all
 * instances share.
 */
final class NativeHandles implements AutoCloseable {
  private final AtomicInteger live;
  private final Deque<AbstractNativeReference> owned = new ArrayDeque<>();

  NativeHandles() {
    this(new AtomicInteger());
  }

  private NativeHandles(AtomicInteger live) {
    this.live = live;
  }

  /** Returns a new set that is closed separately and counted with this one. */
  NativeHandles separate() {
    return new NativeHandles(live);
  }

  <H extends AbstractNativeReference> H own(H handle) {
    owned.push(handle);
    live.incrementAndGet();
    return handle;
  }

  /** Returns the number of open native objects, in this set and all separate ones. */
  int live() {
    return live.get();
  }

  @Override
  public void close() {
    while (!owned.isEmpty()) {
      owned.pop().close();
      live.decrementAndGet();
    }
  }
}

package dev.varve.store.rocksdb;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import org.rocksdb.AbstractNativeReference;

/**
 * Native objects that go together, closed in the reverse of the order in which they came. The
 * garbage collector frees none of them. Not safe for use by several threads, but for the count,
 * which all share.
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

  /** Others, closed by themselves and counted with these. */
  NativeHandles separate() {
    return new NativeHandles(live);
  }

  <H extends AbstractNativeReference> H own(H handle) {
    owned.push(handle);
    live.incrementAndGet();
    return handle;
  }

  /** How many native objects are open, of these and all separate ones. */
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

package dev.varve.query.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.threads.ThreadPriority;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class QueryThreadsTest {
  private final QueryThreads threads = new QueryThreads();

  private static void awaitIdle(Thread thread) {
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
  }

  @Test
  void oneThreadRunsOneQueryAfterTheOther() throws Exception {
    Thread first = threads.submit(Thread::currentThread).get();
    awaitIdle(first);
    assertThat(threads.submit(Thread::currentThread).get()).isSameAs(first);
    assertThat(first.isDaemon()).isTrue();
  }

  @Test
  void queriesAtOnceHaveThreadsOfTheirOwn() throws Exception {
    CountDownLatch both = new CountDownLatch(2);
    Future<Thread> one = threads.submit(() -> meet(both));
    Future<Thread> other = threads.submit(() -> meet(both));
    assertThat(one.get()).isNotSameAs(other.get());
  }

  private static Thread meet(CountDownLatch both) throws InterruptedException {
    both.countDown();
    both.await();
    return Thread.currentThread();
  }

  @Test
  void aThreadEndsAfterAHeavyQuery() throws Exception {
    Thread heavy =
        threads
            .submit(() -> {
              ThreadPriority.HEAVY.enter();
              return Thread.currentThread();
            })
            .get();
    heavy.join();
    assertThat(threads.submit(ThreadPriority::isHeavy).get()).isFalse();
  }

  @Test
  void anExceptionOrInterruptOfAQueryReachesNoOther() throws Exception {
    Future<Thread> failing =
        threads.submit(() -> {
          Thread.currentThread().interrupt();
          throw new IllegalArgumentException("of the query");
        });
    assertThatThrownBy(failing::get)
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseMessage("of the query");
    for (int i = 0; i < 10; i++) {
      assertThat(threads.submit(Thread::interrupted).get()).isFalse();
    }
  }
}

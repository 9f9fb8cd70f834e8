package dev.varve.server.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.server.otlp.CumulativeSums.Added;
import dev.varve.server.otlp.CumulativeSums.Known;
import dev.varve.server.otlp.CumulativeSums.Late;
import dev.varve.server.otlp.CumulativeSums.Outcome;
import dev.varve.server.otlp.CumulativeSums.Running;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CumulativeSumsTest {
  private final CumulativeSums sums = new CumulativeSums(3, 1 << 20);

  private static CumulativeSums.Key key(String host) {
    return new CumulativeSums.Key("d", GroupKey.of("m", Tags.of("host", host)));
  }

  /** Adds one point in its own request. */
  private Added add(String host, long start, long time, double value) {
    return (Added) outcome(host, start, time, value);
  }

  private Outcome outcome(String host, long start, long time, double value) {
    try (CumulativeSums.Request request = sums.request(Set.of(key(host)))) {
      Outcome outcome = request.add(key(host), start, Running.number(time, value));
      request.keep();
      return outcome;
    }
  }

  @Test
  void goesOnWhereThereIsNoGap() {
    assertThat(add("a", 0, 10, 1)).extracting(Added::restarted).isEqualTo(true);
    assertThat(add("a", 10, 20, 2)).isEqualTo(new Added(Running.number(20, 3), false));
    assertThat(add("a", 0, 30, 4))
        .as("no start")
        .isEqualTo(new Added(Running.number(30, 7), false));
    assertThat(add("a", 31, 40, 8)).as("a gap").isEqualTo(new Added(Running.number(40, 8), true));
  }

  @Test
  void countsAPointOnceThatComesTwice() {
    add("a", 1, 10, 1);
    add("a", 10, 20, 2);
    assertThat(add("a", 10, 20, 2)).isEqualTo(new Added(Running.number(20, 3), false));
    assertThat(outcome("a", 1, 10, 1)).as("later points followed").isEqualTo(new Known());
    assertThat(outcome("a", 1, 15, 5)).isEqualTo(new Late());
  }

  @Test
  void knowsTheLastTimesOfASeries() {
    for (int time = 1; time <= 100; time++) {
      add("a", 0, time, 1);
    }
    assertThat(outcome("a", 0, 99, 1)).isEqualTo(new Known());
    assertThat(outcome("a", 0, 84, 1)).isEqualTo(new Known());
    assertThat(outcome("a", 0, 83, 1)).isEqualTo(new Late());
    assertThat(add("a", 0, 101, 1).sum().value()).isEqualTo(101);
  }

  /** Concurrent requests: the one that waits adds to the sums that the other kept. */
  @Test
  void aRequestWaitsForTheOneThatAddsToItsSeries() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    FutureTask<Added> other =
        new FutureTask<>(() -> {
          begun.countDown();
          return add("a", 10, 20, 2);
        });
    try (CumulativeSums.Request request = sums.request(Set.of(key("a"), key("b")))) {
      request.add(key("a"), 0, Running.number(10, 1));
      Thread.startVirtualThread(other);
      begun.await();
      assertThat(add("c", 0, 10, 5).sum().value()).as("of another series").isEqualTo(5);
      assertThat(other.isDone()).isFalse();
      request.keep();
    }
    assertThat(other.get(10, TimeUnit.SECONDS)).isEqualTo(new Added(Running.number(20, 3), false));
  }

  @Test
  void nothingIsLostWhereManyAddAtOnce() throws Exception {
    AtomicLong time = new AtomicLong();
    Callable<Void> adding =
        () -> {
          for (int i = 0; i < 2_000; i++) {
            try (CumulativeSums.Request request = sums.request(Set.of(key("a"), key("b")))) {
              long next = time.incrementAndGet();
              request.add(key("a"), 0, Running.number(next, 1));
              request.add(key("b"), 0, Running.number(next, 2));
              request.keep();
            }
          }
          return null;
        };
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      for (Future<Void> done : threads.invokeAll(List.of(adding, adding))) {
        done.get();
      }
    }
    assertThat(add("a", 0, 1_000_000, 0).sum().value()).isEqualTo(4_000);
    assertThat(add("b", 0, 1_000_000, 0).sum().value()).isEqualTo(8_000);
  }

  @Test
  void aRequestThatIsNotKeptHasAddedNothing() {
    add("a", 1, 10, 1);
    try (CumulativeSums.Request failed = sums.request(Set.of(key("a")))) {
      failed.add(key("a"), 10, Running.number(20, 2));
      assertThat(failed.add(key("a"), 20, Running.number(30, 2)))
          .isEqualTo(new Added(Running.number(30, 5), false));
    }
    assertThat(add("a", 10, 20, 2)).isEqualTo(new Added(Running.number(20, 3), false));
  }

  @Test
  void theSumThatIsUnchangedForLongestIsEvicted() {
    for (String host : new String[] {"a", "b", "c", "a", "d"}) {
      add(host, 1, host.equals("a") && sums.size() == 3 ? 20 : 10, 1);
    }
    assertThat(sums.size()).isEqualTo(3);
    assertThat(add("a", 20, 30, 1).restarted()).isFalse();
    assertThat(add("b", 10, 20, 1).restarted()).isTrue();
  }

  @Test
  void histogramsWithOtherBoundsBeginAnew() {
    double[] bounds = {1, 2};
    addHistogram(0, new Running(10, 5, 3, new long[] {1, 1, 1}, bounds));
    Added more = addHistogram(10, new Running(20, 7, 2, new long[] {0, 2, 0}, bounds.clone()));
    assertThat(more.restarted()).isFalse();
    assertThat(more.sum().count()).isEqualTo(5);
    assertThat(more.sum().value()).isEqualTo(12);
    assertThat(more.sum().buckets()).containsExactly(1, 3, 1);
    double[] other = {1};
    assertThat(addHistogram(20, new Running(30, 1, 1, new long[] {1, 0}, other)).restarted())
        .isTrue();
    try (CumulativeSums.Request request = sums.request(Set.of(key("a")))) {
      request.end(key("a"));
      request.keep();
    }
    assertThat(addHistogram(30, new Running(40, 1, 1, new long[] {1, 0}, other)).restarted())
        .isTrue();
  }

  private Added addHistogram(long start, Running difference) {
    try (CumulativeSums.Request request = sums.request(Set.of(key("a")))) {
      Outcome outcome = request.add(key("a"), start, difference);
      request.keep();
      return (Added) outcome;
    }
  }

  @Test
  void forgetsTheLeastRecentSeriesBeyondItsMemory() {
    CumulativeSums small = new CumulativeSums(1_000, 10_000);
    for (int i = 0; i < 100; i++) {
      CumulativeSums.Key large = key(i + "x".repeat(1_000));
      try (CumulativeSums.Request request = small.request(Set.of(large))) {
        request.add(large, 1, Running.number(10, 1));
        request.keep();
      }
    }
    assertThat(small.size()).isBetween(1, 5);
    CumulativeSums.Key tooLarge = key("x".repeat(20_000));
    try (CumulativeSums.Request request = small.request(Set.of(tooLarge))) {
      request.add(tooLarge, 1, Running.number(10, 1));
      request.keep();
    }
    assertThat(small.size()).isZero();
  }
}

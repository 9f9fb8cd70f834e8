package dev.varve.query.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.query.limit.QueryLimits;
import dev.varve.store.ReadCancelledException;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Outcomes of queries, and that they release everything. */
class RunningQueriesCountTest {
  private static final QueryOrigin ORIGIN = new QueryOrigin("d", "promql", "up", "c", "");

  private final List<EndedQuery> ended = Collections.synchronizedList(new ArrayList<>());
  private final RunningQueries queries =
      new RunningQueries(
          new QueryCapacity(2, 5, Duration.ofSeconds(5), 1 << 20), ended::add, Clock.systemUTC());

  @AfterEach
  void nothingStays() {
    assertThat(queries.list()).isEmpty();
    assertThat(queries.running()).isZero();
    assertThat(queries.waiting()).isZero();
    assertThat(queries.held()).isZero();
    queries.close();
  }

  private void run(RunningQueries.Work<Integer, IOException> work) throws IOException {
    queries.run(ORIGIN, QueryLimits.DEFAULTS, query -> {}, work);
  }

  @Test
  void startsTheTimeoutAgainForTheAnswer() {
    Duration time = Duration.ofSeconds(2);
    QueryLimits limits = QueryLimits.DEFAULTS.within(time);
    assertThatThrownBy(() ->
            queries.run(
                ORIGIN,
                limits,
                query -> {},
                query -> {
                  LockSupport.parkNanos(time.dividedBy(2).toNanos());
                  query.use().evaluated();
                  LockSupport.parkNanos(time.multipliedBy(3).dividedBy(4).toNanos());
                  assertThat(query.use().stopped()).isNull();
                  LockSupport.parkNanos(time.toNanos());
                  query.use().ensureWanted();
                  return 1;
                }))
        .isInstanceOf(QueryStoppedException.class)
        .hasMessageContaining("the query took longer than 2 s");
  }

  @Test
  void tellsHowEachEnded() throws IOException {
    run(query -> 1);
    assertThatThrownBy(() ->
            run(query -> {
              throw new QueryRefusedException("no");
            }))
        .hasMessage("no");
    assertThatThrownBy(() ->
            run(query -> {
              query.use().memory().hold(10_000, "this");
              query.use().pointsReturned(Long.MAX_VALUE);
              return 1;
            }))
        .isInstanceOf(QueryRefusedException.class);
    assertThatThrownBy(() ->
            run(query -> {
              query.use().memory().hold(2 << 20, "this");
              return 1;
            }))
        .isInstanceOf(OverloadedException.class)
        .hasMessageContaining("this: it holds 0 KiB and needs 2048 KiB more");
    assertThatThrownBy(() ->
            run(query -> {
              throw new IOException("pipe");
            }))
        .hasMessage("pipe");
    assertThatThrownBy(() ->
            run(query -> {
              query.use().memory().hold(1000, "this");
              assertThat(queries.kill(query.id())).isTrue();
              query.use().ensureWanted();
              return 1;
            }))
        .isInstanceOf(QueryStoppedException.class)
        .hasMessageContaining("killed, as ");
    assertThatThrownBy(() ->
            run(query -> {
              throw new IllegalStateException("bug");
            }))
        .hasMessage("bug");
    assertThat(ended)
        .extracting(EndedQuery::outcome)
        .containsExactly(
            Outcome.OK,
            Outcome.REFUSED,
            Outcome.LIMIT,
            Outcome.BUSY,
            Outcome.GONE,
            Outcome.KILLED,
            Outcome.FAILED);
    assertThat(ended.get(2).query().use().memory().most()).isEqualTo(10_000);
  }

  @Test
  void cancelsReadsThatBeginBeforeAndAfter() throws IOException {
    assertThatThrownBy(() ->
            run(query -> {
              CountDownLatch cancelled = new CountDownLatch(2);
              query.use().begun(cancelled::countDown);
              query.use().stop(Outcome.TIMEOUT);
              query.use().stop(Outcome.KILLED);
              query.use().begun(cancelled::countDown);
              assertThat(cancelled.getCount()).isZero();
              throw new ReadCancelledException();
            }))
        .isInstanceOf(QueryStoppedException.class)
        .hasMessageContaining("longer than 120 s");
  }

  @Test
  void cancelsAllReadsEvenWhereOneCannotBe() throws IOException {
    CountDownLatch cancelled = new CountDownLatch(5);
    run(query -> {
      for (int i = 0; i < 5; i++) {
        query
            .use()
            .begun(() -> {
              cancelled.countDown();
              throw new IllegalStateException("the cursor is broken");
            });
      }
      query.use().stop(Outcome.GONE);
      return 1;
    });
    assertThat(cancelled.getCount()).isZero();
  }

  @Test
  void tellsWhatWasRefusedAmidItsAnswer() throws IOException {
    run(query -> {
      query.use().refusedAmid("it needs numbers");
      return 1;
    });
    assertThat(ended)
        .singleElement()
        .satisfies(one -> {
          assertThat(one.outcome()).isEqualTo(Outcome.REFUSED);
          assertThat(one.reason()).isEqualTo("it needs numbers");
        });
  }

  @Test
  void tellsWhyItWasStoppedWhereItsAnswerIsCutOff() {
    assertThatThrownBy(() ->
            run(query -> {
              query.use().stop(Outcome.TIMEOUT);
              throw new IOException("pipe");
            }))
        .isInstanceOf(QueryStoppedException.class)
        .hasMessageContaining("longer than 120 s");
    assertThat(ended).extracting(EndedQuery::outcome).containsExactly(Outcome.TIMEOUT);
  }

  @Test
  void givesMemoryBackThoughNobodyCouldBeToldOfTheEnd() {
    try (RunningQueries deaf =
        new RunningQueries(
            queries.capacity(),
            one -> {
              throw new IllegalStateException("deaf");
            },
            Clock.systemUTC())) {
      assertThatThrownBy(() ->
              deaf.<Integer, IOException>run(
                  ORIGIN,
                  QueryLimits.DEFAULTS,
                  query -> {},
                  query -> {
                    query.use().memory().hold(1000, "this");
                    return 1;
                  }))
          .hasMessage("deaf");
      assertThat(deaf.held()).isZero();
    }
  }

  @Test
  void stopsWhatRunsWhenItClosesAndRefusesWhatComesLater() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> first =
          threads.submit(() -> {
            run(query -> {
              running.countDown();
              for (int i = 0; i < 500; i++) {
                query.use().ensureWanted();
                LockSupport.parkNanos(10_000_000);
              }
              return 1;
            });
            return null;
          });
      running.await();
      queries.close();
      assertThatThrownBy(first::get)
          .hasCauseInstanceOf(QueryStoppedException.class)
          .hasMessageContaining("the server is stopping");
      Future<?> second =
          threads.submit(() -> {
            run(query -> 1);
            return null;
          });
      assertThatThrownBy(second::get)
          .hasCauseInstanceOf(QueryStoppedException.class)
          .hasMessageContaining("the server is stopping");
    }
    assertThat(ended).extracting(EndedQuery::outcome).containsExactly(Outcome.GONE, Outcome.BUSY);
  }

  /** Heavy queries may first take both places; they give way. */
  @Test
  void heavyQueriesMakeWayForLightOnes() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch resumed = new CountDownLatch(3);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> heavy = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        heavy.add(
            threads.submit(() -> {
              queries.<Object, InterruptedException>run(
                  ORIGIN,
                  QueryLimits.DEFAULTS,
                  query -> {},
                  query -> {
                    query.use().matched(1_001);
                    release.await();
                    resumed.countDown();
                    return "";
                  });
              return null;
            }));
      }
      while (queries.running() != 1 || queries.waiting() != 2) {
        Thread.sleep(1);
      }
      assertThat(queries.list())
          .map(RunningQuery::state)
          .containsExactlyInAnyOrder(
              RunningQuery.State.RUNNING, RunningQuery.State.QUEUED, RunningQuery.State.QUEUED);
      for (int i = 0; i < 10; i++) {
        run(query -> 1);
      }
      assertThat(resumed.getCount()).isEqualTo(3);
      release.countDown();
      for (Future<?> one : heavy) {
        one.get();
      }
    }
    assertThat(ended).hasSize(13).extracting(EndedQuery::outcome).containsOnly(Outcome.OK);
    EndedQuery first = ended.getFirst();
    assertThat(ended.getLast().waited()).isGreaterThan(first.waited());
  }

  @Test
  void aQueryThatComputesForLongIsHeavy() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch heavyRuns = new CountDownLatch(1);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> heavy =
          threads.submit(() -> {
            queries.<Object, InterruptedException>run(
                ORIGIN,
                QueryLimits.DEFAULTS,
                query -> {},
                query -> {
                  query.use().matched(1_001);
                  heavyRuns.countDown();
                  release.await();
                  return "";
                });
            return null;
          });
      heavyRuns.await();
      Future<?> computing =
          threads.submit(() -> {
            run(query -> {
              long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
              while (System.nanoTime() < end && query.ran().toMillis() < 10_000) {
                query.use().giveWay();
                if (release.getCount() == 0) {
                  return 1;
                }
              }
              throw new IllegalStateException("it was never made to wait");
            });
            return null;
          });
      while (queries.waiting() == 0) {
        Thread.sleep(1);
      }
      assertThat(queries.running()).isEqualTo(1);
      release.countDown();
      heavy.get();
      computing.get();
    }
    assertThat(ended).hasSize(2).extracting(EndedQuery::outcome).containsOnly(Outcome.OK);
  }

  @Test
  void letsThemInOneAfterTheOther() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 7; i++) {
        int number = i;
        all.add(
            threads.submit(() -> {
              queries.<Object, InterruptedException>run(
                  ORIGIN,
                  QueryLimits.DEFAULTS,
                  query -> {},
                  query -> {
                    if (number < 2) {
                      release.await();
                    } else {
                      order.add(number);
                    }
                    return "";
                  });
              return null;
            }));
        while (queries.running() + queries.waiting() <= i) {
          Thread.sleep(1);
        }
      }
      assertThat(queries.waiting()).isEqualTo(5);
      assertThatThrownBy(() -> run(query -> 1))
          .isInstanceOf(QueryStoppedException.class)
          .hasMessage(
              "2 queries are running and 5 waiting, which is the capacity of this server (queries.concurrency and queries.queue)");
      release.countDown();
      for (Future<?> one : all) {
        one.get();
      }
    }
    assertThat(order).hasSize(5).contains(2, 3, 4, 5, 6);
  }
}

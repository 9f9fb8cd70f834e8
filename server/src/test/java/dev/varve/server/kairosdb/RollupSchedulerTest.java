package dev.varve.server.kairosdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.request.WriteResult;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryCapacity;
import dev.varve.query.running.RunningQueries;
import dev.varve.server.SharedStore;
import dev.varve.server.http.Caller;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.ingest.IngestListener;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two schedulers on one store, which communicate by leases alone, and damaged tasks. */
class RollupSchedulerTest {
  private static final long HOUR = 3_600_000;
  private static final long START = 1_700_000_000_000L;
  private static final Duration SOON = Duration.ofSeconds(20);

  private static final String TASK =
      """
      {"name":"hourly","execution_interval":{"value":1,"unit":"hours"},"rollups":[
        {"save_as":"m.sum","query":{"start_relative":{"value":1,"unit":"hours"},"metrics":[
          {"name":"m","aggregators":[{"name":"sum","sampling":{"value":1,"unit":"hours"}}]}]}}]}\
      """;

  @TempDir private @Nullable Path directory;

  /** The time of all schedulers, in ms since 1970. */
  private final AtomicLong now = new AtomicLong(START);

  private final Clock clock =
      new Clock() {
        @Override
        public ZoneId getZone() {
          return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
          return this;
        }

        @Override
        public Instant instant() {
          return Instant.ofEpochMilli(now.get());
        }
      };

  private final Server a = new Server("a");
  private final Server b = new Server("b");

  @AfterEach
  void close() {
    a.close();
    b.close();
  }

  private final class Server implements AutoCloseable {
    private final RunningQueries queries =
        new RunningQueries(QueryCapacity.DEFAULTS, ended -> {}, clock);
    private final String host;
    private @Nullable Engine engine;
    private @Nullable RollupScheduler scheduler;

    /** Finds the user of a task by name; tests replace it to intervene while a task runs. */
    private volatile Function<@Nullable String, @Nullable Caller> users = name -> Caller.ANYONE;

    private Server(String host) {
      this.host = host;
    }

    private Dataset dataset() {
      return opened().defaultDataset();
    }

    private Engine opened() {
      if (engine == null) {
        Path all = Objects.requireNonNull(directory);
        DatasetConfig main =
            new DatasetConfig(
                "main",
                new StoreConfig(SharedStore.KIND, Map.of(SharedStore.NAME, all.toString())),
                List.of(new PeriodConfig(Instant.MIN, Layouts.stored("buckets", Map.of()))),
                null,
                DatasetConfig.Duplicates.LAST,
                Set.of(),
                false);
        engine = Engine.open(new EngineConfig(all.resolve(host), 64 << 20, List.of(main), "main"));
      }
      return engine;
    }

    private RollupScheduler scheduler() {
      if (scheduler == null) {
        scheduler =
            new RollupScheduler(
                List.of(dataset()),
                queries,
                QueryLimits.DEFAULTS,
                IngestListener.NONE,
                name -> users.apply(name),
                clock,
                host);
      }
      return scheduler;
    }

    private double figure(String name) {
      return Objects.requireNonNull(scheduler().figures().get(name), name);
    }

    private double executions() {
      return figure("rollup_executions_total");
    }

    @Override
    public void close() {
      if (scheduler != null) {
        scheduler.close();
      }
      queries.close();
      if (engine != null) {
        engine.close();
      }
    }
  }

  private RollupStore store(Server of) {
    return new RollupStore(of.dataset());
  }

  private void create(Server on, String id) {
    RollupReader reader =
        new RollupReader(clock, on.dataset().resolution(), WriteBudget.unlimited());
    store(on).put(reader.read(id, TASK.getBytes(UTF_8)), null, now.get());
  }

  private RollupStatus status(Server of, String id) {
    return Objects.requireNonNull(store(of).status(id), id);
  }

  private void write(Server on) {
    BatchBuilder batch = new BatchBuilder();
    batch.add(GroupKey.of("m", Tags.of("host", "a")), now.get() - HOUR, new Value.Real(1));
    assertThat(on.dataset().write(batch.build())).isEqualTo(new WriteResult(1, 0, List.of()));
  }

  @Test
  void ofTwoOneRunsEachTask() throws InterruptedException {
    List<String> tasks = List.of("t1", "t2", "t3");
    tasks.forEach(id -> create(a, id));
    int rounds = 10;
    for (int round = 1; round <= rounds; round++) {
      now.addAndGet(HOUR);
      atOnce(a.scheduler()::runDue, b.scheduler()::runDue);
      // A task whose lease was taken while its turn came waits for the next search.
      a.scheduler().runDue();
      assertThat(a.executions() + b.executions()).isEqualTo(tasks.size() * (double) round);
    }
    assertThat(a.figure("rollup_failures_total") + b.figure("rollup_failures_total")).isZero();
    for (String id : tasks) {
      assertThat(status(b, id).next()).isEqualTo(START + (rounds + 1) * HOUR);
      assertThat(status(b, id).queries().getFirst().error()).isNull();
    }
  }

  private static void atOnce(Runnable one, Runnable other) throws InterruptedException {
    CyclicBarrier start = new CyclicBarrier(2);
    List<Thread> threads =
        List.of(one, other).stream()
            .map(work ->
                Thread.ofVirtual()
                    .start(() -> {
                      try {
                        start.await();
                      } catch (InterruptedException | BrokenBarrierException e) {
                        throw new AssertionError(e);
                      }
                      work.run();
                    }))
            .toList();
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Test
  void anotherTakesOverWhenTheLeaseOfADeadServerEnds() {
    create(a, "t");
    write(a);
    now.addAndGet(HOUR);
    // The other server has begun and says nothing any more.
    assertThat(store(a).lease("t", "dead", now.get(), now.get() + 300_000)).isTrue();
    now.addAndGet(299_999);
    b.scheduler().runDue();
    assertThat(b.executions()).isZero();
    now.addAndGet(1);
    b.scheduler().runDue();
    assertThat(b.executions()).isEqualTo(1);
    assertThat(status(a, "t").host()).isEqualTo("b");
    assertThat(status(a, "t").queries().getFirst().error()).isNull();
    assertThat(status(a, "t").queries().getFirst().points()).isEqualTo(1);
  }

  @Test
  void aServerThatWasOvertakenStoresNoState() throws InterruptedException {
    create(a, "t");
    write(a);
    now.addAndGet(HOUR);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    a.users =
        name -> {
          begun.countDown();
          try {
            mayGoOn.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          return Caller.ANYONE;
        };
    Thread slow = Thread.ofVirtual().start(a.scheduler()::runDue);
    begun.await();
    b.scheduler().runDue();
    assertThat(b.executions()).isZero();
    now.addAndGet(300_000);
    b.scheduler().runDue();
    assertThat(b.executions()).isEqualTo(1);
    RollupStatus stored = status(b, "t");
    assertThat(stored.host()).isEqualTo("b");
    mayGoOn.countDown();
    slow.join();
    assertThat(a.figure("rollup_failures_total")).isEqualTo(1);
    assertThat(a.figure("rollup_points_total")).isZero();
    assertThat(status(b, "t")).isEqualTo(stored);
  }

  /** A task that is deleted has no lease, and no other server has taken it over. */
  @Test
  void aTaskThatIsDeletedWhileItRunsEndsWithoutAFailure() {
    create(a, "t");
    write(a);
    now.addAndGet(HOUR);
    a.users =
        name -> {
          store(b).delete("t");
          return Caller.ANYONE;
        };
    a.scheduler().runDue();
    assertThat(store(a).task("t")).isNull();
    assertThat(store(a).status("t")).isNull();
    assertThat(a.figure("rollup_failures_total")).isZero();
    assertThat(a.figure("rollup_points_total")).isZero();
  }

  @Test
  void damagedTasksKeepNoOthersFromRunning() {
    List.of("a-lease", "b-state", "c-task", "d-old-lease", "z-good").forEach(id -> create(a, id));
    a.dataset().services().put("_Rollups", "Lease", "a-lease", "tomorrow");
    a.dataset().services().put("_Rollups", "Lease", "d-old-lease", "007 x");
    a.dataset().services().put("_Rollups", "Status", "b-state", "{\"next\":");
    a.dataset().services().put("_Rollups", "Config", "c-task", "{\"name\":");
    now.addAndGet(HOUR);
    a.scheduler().runDue();
    assertThat(status(a, "z-good").host()).isEqualTo("a");
    assertThat(a.figure("rollup_failures_total")).isEqualTo(4);
    // They are left alone for a minute, and so counted once.
    a.scheduler().runDue();
    assertThat(a.figure("rollup_failures_total")).isEqualTo(4);
    now.addAndGet(60_000);
    a.scheduler().runDue();
    assertThat(a.figure("rollup_failures_total")).isEqualTo(8);
  }

  @Test
  void damagedTasksRunOnceTheyAreStoredAgain() {
    create(a, "lease");
    create(a, "state");
    long done = START - HOUR;
    store(a).put("lease", new RollupStatus(START, done, "a", List.of()));
    a.dataset().services().put("_Rollups", "Lease", "lease", "tomorrow");
    a.dataset().services().put("_Rollups", "Status", "state", "[]");
    assertThat(store(a).isDamaged("lease")).isTrue();
    assertThat(store(a).isDamaged("state")).isTrue();
    a.scheduler().runDue();
    create(a, "lease");
    create(a, "state");
    assertThat(store(a).isDamaged("lease")).isFalse();
    assertThat(store(a).isDamaged("state")).isFalse();
    assertThat(status(a, "lease").done()).as("a state that was not damaged").isEqualTo(done);
    now.addAndGet(HOUR);
    a.scheduler().runDue();
    assertThat(status(a, "lease").host()).isEqualTo("a");
    assertThat(status(a, "state").host()).isEqualTo("a");
  }

  @Test
  void looksForTasksByItself() {
    create(a, "t");
    now.addAndGet(HOUR);
    a.scheduler().start();
    await().atMost(SOON).until(() -> a.executions() == 1);
  }
}

package dev.varve.server.kairosdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.ServiceTexts.Text;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.request.ReadGuard;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.Outcome;
import dev.varve.query.running.QueryOrigin;
import dev.varve.query.running.QueryUse;
import dev.varve.query.running.RunningQueries;
import dev.varve.server.http.Caller;
import dev.varve.server.http.RateLimitedLog;
import dev.varve.server.http.Right;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.ingest.IngestListener;
import dev.varve.server.kairosdb.RollupStatus.OfQuery;
import dev.varve.server.kairosdb.RollupStore.DamagedException;
import dev.varve.server.kairosdb.RollupTask.RollupQuery;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the roll-up tasks of some datasets when they are due, one after another, on one virtual
 * thread. The schedule is stored with the tasks, so a task that became due while no server ran runs
 * at the next start. Of several servers on one store, the one with the lease runs a task.
 */
public final class RollupScheduler implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RollupScheduler.class);
  private static final RateLimitedLog FAILED = new RateLimitedLog("roll-ups");
  private static final String TAKEN = "another server has taken the task over";
  private static final String DELETED = "the task was deleted";

  /** Pause between two searches for due tasks. */
  private static final long PAUSE_MILLIS = 1_000;

  /** Duration of a lease. It is extended before every query. */
  private static final long LEASE_MILLIS = 300_000;

  /** A state whose task is still missing after this time belongs to a deleted task. */
  private static final long ORPHAN_MILLIS = 60_000;

  /** Pause between two searches for tasks that other servers have added. */
  private static final long FOREIGN_TASKS_MILLIS = 10_000;

  /** Pause before a damaged task is checked again. */
  private static final long DAMAGED_MILLIS = 60_000;

  /** Maximum length of a stored error, in characters. */
  private static final int ERROR_MAX = 500;

  private final List<Dataset> datasets;
  private final RunningQueries queries;
  private final QueryLimits limits;
  private final IngestListener listener;
  private final Function<@Nullable String, @Nullable Caller> users;
  private final Clock clock;
  private final String host;

  /** Identifies this server in leases. */
  private final String holder = UUID.randomUUID().toString();

  /**
   * Time of the last search for tasks of other servers in ms since 1970, by dataset. Confined to
   * the scheduler's thread.
   */
  private final Map<String, Long> looked = new HashMap<>();

  /**
   * Time until which a damaged task is skipped in ms since 1970, by dataset and ID. Confined to the
   * scheduler's thread.
   */
  private final Map<String, Long> damaged = new HashMap<>();

  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicLong executions = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private final AtomicLong points = new AtomicLong();

  /** The running query. Guarded by this. */
  private @Nullable QueryUse running;

  private @Nullable Thread thread;

  /**
   * Creates a scheduler that does nothing yet.
   *
   * @param datasets those whose tasks run
   * @param queries admits the queries of tasks
   * @param limits of each query
   * @param listener receives what is written
   * @param users supplies the caller of a name, or of null for a task that nobody in particular
   *     stored; null if there is no such user
   * @param host name of this server, for the status of tasks
   */
  public RollupScheduler(
      List<Dataset> datasets,
      RunningQueries queries,
      QueryLimits limits,
      IngestListener listener,
      Function<@Nullable String, @Nullable Caller> users,
      Clock clock,
      String host) {
    this.datasets = List.copyOf(datasets);
    this.queries = queries;
    this.limits = limits;
    this.listener = listener;
    this.users = users;
    this.clock = clock;
    this.host = host;
  }

  /** Starts running tasks. */
  public void start() {
    thread = Thread.ofVirtual().name("varve-rollups").start(this::loop);
  }

  private void loop() {
    try {
      do {
        runDue();
      } while (!closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Runs the tasks of all datasets that are due. */
  void runDue() {
    long now = clock.millis();
    damaged.values().removeIf(until -> until <= now);
    for (Dataset dataset : datasets) {
      try {
        look(dataset, now);
      } catch (RuntimeException e) {
        FAILED.warn("tasks", "the roll-up tasks of dataset '" + dataset.name() + "': " + e);
      }
    }
  }

  private void look(Dataset dataset, long now) {
    RollupStore store = new RollupStore(dataset);
    if (!store.runsHere() || !dataset.isCatalogComplete()) {
      return;
    }
    if (store.areShared()) {
      schedule(dataset, store, now);
    }
    List<String> due = new ArrayList<>();
    store.statuses(
        (id, status) -> {
          if (status.next() <= now) {
            due.add(id);
          }
        },
        problem -> leave(problem, dataset, now));
    for (String id : due) {
      if (isOpen() && !damaged.containsKey(named(dataset, id))) {
        guarded(id, dataset, () -> runIfMine(id, dataset, store));
      }
    }
  }

  /** Runs work for one task. A failure does not keep other tasks from running. */
  private void guarded(String id, Dataset dataset, Runnable work) {
    try {
      work.run();
    } catch (DamagedException e) {
      leave(e, dataset, clock.millis());
    } catch (RuntimeException e) {
      FAILED.warn("task", "roll-up task '%s' of dataset '%s': %s".formatted(id, dataset.name(), e));
    }
  }

  private void leave(DamagedException problem, Dataset dataset, long now) {
    if (damaged.putIfAbsent(named(dataset, problem.id()), now + DAMAGED_MILLIS) == null) {
      LOG.warn("dataset '{}': {}", dataset.name(), problem.getMessage());
      count(true);
    }
  }

  private static String named(Dataset dataset, String id) {
    return dataset.name() + "/" + id;
  }

  /** Gives a schedule to tasks that others have added: they are due one interval from now. */
  private void schedule(Dataset dataset, RollupStore store, long now) {
    Long last = looked.get(dataset.name());
    if (last != null && now - last < FOREIGN_TASKS_MILLIS) {
      return;
    }
    looked.put(dataset.name(), now);
    for (Text task : store.tasks(ReadGuard.NONE)) {
      guarded(task.key(), dataset, () -> schedule(task, dataset, store, now));
    }
  }

  private void schedule(Text task, Dataset dataset, RollupStore store, long now) {
    if (store.status(task.key()) == null) {
      RollupTask read = read(task.key(), task.text(), dataset);
      if (read != null) {
        store.put(task.key(), RollupStatus.NEW.due(RollupStatus.next(now, read.interval(), now)));
      }
    }
  }

  /** Returns a task; null if Varve cannot read it. */
  private @Nullable RollupTask read(String id, String json, Dataset dataset) {
    try {
      return new RollupReader(clock, dataset.resolution(), WriteBudget.unlimited()).read(id, json);
    } catch (RuntimeException e) {
      FAILED.warn("unreadable", "roll-up task " + id + " cannot be read: " + e);
      return null;
    }
  }

  private boolean isOpen() {
    return closed.getCount() > 0;
  }

  private void runIfMine(String id, Dataset dataset, RollupStore store) {
    long now = clock.millis();
    boolean shared = dataset.services().areShared();
    if (shared && !store.lease(id, holder, now, now + LEASE_MILLIS)) {
      return;
    }
    try {
      // Another server may have run the task since its state was read.
      RollupStatus status = store.status(id);
      String json = store.task(id);
      if (status != null && json != null && status.next() <= now) {
        run(new TaskRun(id, json, status, dataset, store, shared));
      } else if (status != null && json == null && status.next() < now - ORPHAN_MILLIS) {
        store.forget(id);
      }
    } finally {
      if (shared) {
        store.release(id, holder);
      }
    }
  }

  /** One execution of a task. */
  private record TaskRun(
      String id,
      String json,
      RollupStatus before,
      Dataset dataset,
      RollupStore store,
      boolean shared) {}

  private void run(TaskRun execution) {
    long now = clock.millis();
    RollupTask task = read(execution.id(), execution.json(), execution.dataset());
    if (task == null) {
      // It was valid when it was stored, by another version of Varve.
      execution.store().put(execution.id(), execution.before().due(now + ORPHAN_MILLIS));
      count(true);
      return;
    }
    List<OfQuery> results = new ArrayList<>();
    for (RollupQuery query : task.queries()) {
      results.add(run(query, task, execution, now));
      if (!isOpen() || isGone(execution)) {
        // The next server repeats the whole execution, and nobody that of a deleted task.
        return;
      }
    }
    boolean failed = results.stream().anyMatch(result -> result.error() != null);
    // Windows of a failed execution are computed again by the next one.
    long done = failed ? execution.before().done() : now;
    long next = RollupStatus.next(execution.before().next(), task.interval(), clock.millis());
    boolean isMine = isMine(execution);
    if (isGone(execution)) {
      return;
    }
    if (!isMine) {
      // The state is that of the server which took the task over.
      LOG.warn("dataset '{}', roll-up task '{}': {}", execution.dataset().name(), task.id(), TAKEN);
      count(true);
      return;
    }
    execution.store().put(task.id(), new RollupStatus(next, done, host, results));
    count(failed);
  }

  /** Returns whether a task was deleted while it ran. */
  private static boolean isGone(TaskRun execution) {
    return execution.store().task(execution.id()) == null;
  }

  /** Extends the lease of a task. Returns whether this server still has it. */
  private boolean isMine(TaskRun execution) {
    return !execution.shared()
        || execution.store().extend(execution.id(), holder, clock.millis() + LEASE_MILLIS);
  }

  /** Counts an execution after its status is stored, so the count never runs ahead of it. */
  private void count(boolean failed) {
    executions.incrementAndGet();
    if (failed) {
      failures.incrementAndGet();
    }
  }

  private OfQuery run(RollupQuery query, RollupTask task, TaskRun execution, long now) {
    RollupWork work = new RollupWork(execution.dataset(), admitted(execution), listener, clock);
    long written = 0;
    String error = null;
    try {
      requireRights(execution);
      long first = first(query, task, execution.before(), now);
      written = work.run(task.name(), query, first, now, () -> extend(execution));
      points.addAndGet(written);
    } catch (IOException | RuntimeException e) {
      error = error(e);
      if (isOpen() && !isGone(execution)) {
        LOG.warn(
            "dataset '{}', roll-up task '{}', metric '{}' to '{}': {}",
            execution.dataset().name(),
            task.name(),
            query.metric(),
            query.saveAs(),
            error);
      }
    }
    long end = clock.millis();
    return new OfQuery(query.metric(), end, written, end - now, error);
  }

  /** Checks that the user who stored a task may still do what it does. */
  private void requireRights(TaskRun execution) {
    String name = execution.store().creator(execution.id());
    Caller creator = users.apply(name);
    if (creator == null) {
      throw new QueryRefusedException(
          name == null
              ? "the server authenticates, and no user stored the task: store it again (PUT /api/v1/rollups/%s) as a user who may read and write"
                  .formatted(execution.id())
              : "user '%s', who stored the task, is gone".formatted(name));
    }
    String denial = creator.denialOfAll(execution.dataset().name(), Right.READ, Right.WRITE);
    if (denial != null) {
      throw new QueryRefusedException(denial);
    }
  }

  private static String error(Exception e) {
    String message = Objects.toString(e.getMessage(), e.getClass().getSimpleName());
    return message.length() <= ERROR_MAX ? message : message.substring(0, ERROR_MAX) + "...";
  }

  /**
   * Returns a time in the first window to compute: the previous run may have seen it incomplete.
   */
  private static long first(RollupQuery query, RollupTask task, RollupStatus before, long now) {
    return before.done() > 0 ? before.done() : task.interval().before(query.sampling().before(now));
  }

  private void extend(TaskRun execution) {
    if (!isOpen()) {
      throw new IllegalStateException("the server is stopping");
    }
    if (!isMine(execution)) {
      throw new IllegalStateException(isGone(execution) ? DELETED : TAKEN);
    }
  }

  private RollupWork.Queries admitted(TaskRun execution) {
    return (text, work) -> run(execution.dataset(), text, work);
  }

  private void run(Dataset dataset, String text, Consumer<QueryUse> work) {
    QueryOrigin origin = new QueryOrigin(dataset.name(), KairosDb.NAME, text, "", "");
    try {
      queries.<@Nullable Void, RuntimeException>run(
          origin,
          limits,
          query -> begun(query.use()),
          query -> {
            work.accept(query.use());
            return null;
          });
    } finally {
      synchronized (this) {
        running = null;
      }
    }
  }

  private synchronized void begun(QueryUse use) {
    running = use;
    if (!isOpen()) {
      use.stop(Outcome.GONE);
    }
  }

  /** Returns metrics for operators, by name without prefix. */
  public Map<String, Double> figures() {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("rollup_executions_total", (double) executions.get());
    figures.put("rollup_failures_total", (double) failures.get());
    figures.put("rollup_points_total", (double) points.get());
    return figures;
  }

  /** Ends the running task, which runs again after the next start. Idempotent. */
  @Override
  public void close() {
    closed.countDown();
    synchronized (this) {
      if (running != null) {
        running.stop(Outcome.GONE);
      }
    }
    try {
      if (thread != null) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

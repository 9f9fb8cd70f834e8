package dev.varve.rules;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates rule groups, each at its own interval and on its own virtual thread. A rule runs when
 * there is capacity for it, and no longer than the timeout in the settings, so a slow rule delays
 * only its own group. Thread-safe.
 */
public final class RuleScheduler implements AutoCloseable {
  private final RuleStore store;
  private final RuleSettings settings;
  private final Clock clock;
  private final Semaphore places;
  private final EvaluatedGroup.Surroundings around;
  private final ScheduledExecutorService watch =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("varve-rules-watch").factory());

  /** By key. Guarded by this. */
  private Map<String, Loop> loops = new HashMap<>();

  /** Guarded by this. */
  private boolean started;

  private final CountDownLatch closed = new CountDownLatch(1);

  /**
   * Creates a scheduler without groups.
   *
   * @param places permits that limit how many rules run at once; may be shared with others
   */
  public RuleScheduler(
      RuleStore store,
      RuleSettings settings,
      AlertSink alerts,
      RuleListener listener,
      Semaphore places,
      Clock clock) {
    this.store = store;
    this.settings = settings;
    this.clock = clock;
    this.places = places;
    this.around =
        new EvaluatedGroup.Surroundings() {
          @Override
          public AlertSink alerts() {
            return alerts;
          }

          @Override
          public RuleListener listener() {
            return listener;
          }

          @Override
          public void inTurn(RuleQueries queries, Runnable work) {
            RuleScheduler.this.inTurn(queries, work);
          }
        };
  }

  private void inTurn(RuleQueries queries, Runnable work) {
    places.acquireUninterruptibly();
    ScheduledFuture<?> end =
        watch.schedule(queries::expire, settings.timeout().toNanos(), TimeUnit.NANOSECONDS);
    try {
      work.run();
    } finally {
      end.cancel(false);
      places.release();
    }
  }

  /**
   * Replaces the set of running groups. Unchanged groups continue undisturbed. A changed group
   * takes over the state of its predecessor. The series of a removed group end after two intervals.
   * The first call restores the state from before the restart.
   */
  public synchronized void run(List<RuleGroup> groups) {
    if (closed.getCount() == 0) {
      return;
    }
    Map<String, Loop> next = new HashMap<>();
    List<Loop> fresh = new ArrayList<>();
    List<Loop> replaced = new ArrayList<>();
    for (RuleGroup group : groups) {
      Loop old = loops.remove(group.key());
      if (old != null && old.group.group().equals(group)) {
        next.put(group.key(), old);
        continue;
      }
      EvaluatedGroup evaluated = new EvaluatedGroup(group, store, settings, around, started);
      Loop loop = new Loop(evaluated, !started);
      next.put(group.key(), loop);
      fresh.add(loop);
      if (old != null) {
        loop.before = old;
        replaced.add(old);
      }
    }
    List<Loop> gone = List.copyOf(loops.values());
    gone.forEach(Loop::stop);
    replaced.forEach(Loop::stop);
    fresh.forEach(Loop::start);
    gone.forEach(loop -> Thread.ofVirtual().name("varve-rules-end").start(() -> endLater(loop)));
    loops = next;
    started = true;
  }

  /**
   * Ends the series of a removed group after two intervals. A rule that has moved to another group
   * has written by then.
   */
  private void endLater(Loop gone) {
    gone.join();
    Instant now = clock.instant();
    try {
      if (!closed.await(2 * gone.group.group().interval().toNanos(), TimeUnit.NANOSECONDS)) {
        gone.group.endAll(now);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the status of the groups, sorted by file and name. */
  public List<GroupStatus> groups() {
    List<Loop> running;
    synchronized (this) {
      running = List.copyOf(loops.values());
    }
    return running.stream()
        .map(loop -> loop.group.status())
        .sorted(
            Comparator.comparing((GroupStatus status) -> status.group().file())
                .thenComparing(status -> status.group().name()))
        .toList();
  }

  /** Stops all groups and waits for them. Idempotent. */
  @Override
  public void close() {
    List<Loop> running;
    synchronized (this) {
      closed.countDown();
      running = List.copyOf(loops.values());
    }
    running.forEach(Loop::stop);
    running.forEach(Loop::join);
    watch.shutdownNow();
  }

  /** The thread of a group. */
  private final class Loop {
    private final EvaluatedGroup group;
    private final boolean restores;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread;

    /** The loop that this one replaces; null if there is none, and once its state is taken over. */
    private @Nullable Loop before;

    Loop(EvaluatedGroup group, boolean restores) {
      this.group = group;
      this.restores = restores;
      this.thread =
          Thread.ofVirtual().name("varve-rules-" + group.group().name()).unstarted(this::run);
    }

    void start() {
      thread.start();
    }

    void stop() {
      group.stop();
      stop.countDown();
    }

    void join() {
      boolean interrupted = false;
      while (true) {
        try {
          thread.join();
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    private void run() {
      if (before != null) {
        before.join();
        group.takeOver(before.group);
        before = null;
      }
      Duration interval = group.group().interval();
      Instant at = group.group().slot(clock.instant()).plus(interval);
      if (!waitUntil(at)) {
        return;
      }
      group.evaluate(at, clock.instant());
      if (restores) {
        // Data that alerts depend on may not be complete after the first evaluation.
        at = next(at);
        if (group.isStopped()) {
          return;
        }
        group.evaluate(at, clock.instant());
        group.restore(clock.instant());
      }
      for (at = next(at); !group.isStopped(); at = next(at)) {
        group.evaluate(at, clock.instant());
      }
    }

    /** Waits for the next evaluation and returns its time. */
    private Instant next(Instant last) {
      Duration interval = group.group().interval();
      long elapsed = Duration.between(last, clock.instant()).dividedBy(interval);
      if (elapsed < 1) {
        Instant next = last.plus(interval);
        waitUntil(next);
        elapsed = Math.max(1, Duration.between(last, clock.instant()).dividedBy(interval));
      }
      if (elapsed > 1) {
        group.missed(elapsed - 1);
      }
      return last.plus(interval.multipliedBy(elapsed));
    }

    private boolean waitUntil(Instant time) {
      try {
        while (true) {
          long nanos = Duration.between(clock.instant(), time).toNanos();
          if (stop.await(nanos, TimeUnit.NANOSECONDS)) {
            return false;
          }
          if (!clock.instant().isBefore(time)) {
            return true;
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        group.stop();
        return false;
      }
    }
  }
}

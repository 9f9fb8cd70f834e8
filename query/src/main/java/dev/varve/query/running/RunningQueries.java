package dev.varve.query.running;

import dev.varve.model.ErrorKind;
import dev.varve.query.limit.Memory;
import dev.varve.query.limit.QueryLimits;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** All queries of a server, from arrival to end. Thread-safe. */
public final class RunningQueries implements AutoCloseable {
  /** The work of a query, including sending its answer. */
  @FunctionalInterface
  public interface Work<T extends @Nullable Object, E extends Exception> {
    T run(RunningQuery query) throws E;
  }

  private static final String STOPPING = "the server is stopping";

  /** A query may run longer than its timeout by this and the time that it takes to stop it. */
  private static final Duration BETWEEN_TICKS = Duration.ofMillis(10);

  private final Map<String, RunningQuery> all = new ConcurrentHashMap<>();
  private final QueryGate gate;
  private final QueryCapacity capacity;
  private final Memory.Pool memory;
  private final Consumer<EndedQuery> ended;
  private final Clock clock;
  private final AtomicLong next = new AtomicLong();

  /** Makes ids unique across restarts and servers. */
  private final String prefix = "%08x".formatted(ThreadLocalRandom.current().nextInt());

  private final Ticker<Stint> ticker =
      new Ticker<>("varve-query-timer", BETWEEN_TICKS, Stint::tick);
  private volatile boolean closed;

  private final QueryThreads threads = new QueryThreads();

  /**
   * Creates the registry.
   *
   * @param ended receives every query when it ends, on the query's own thread
   */
  public RunningQueries(QueryCapacity capacity, Consumer<EndedQuery> ended, Clock clock) {
    this.capacity = capacity;
    this.gate = new QueryGate(capacity);
    this.memory = new Memory.Pool(capacity.memory());
    this.ended = ended;
    this.clock = clock;
  }

  /** Returns the waiting and running queries in order of arrival. */
  public List<RunningQuery> list() {
    return all.values().stream().sorted(Comparator.comparing(RunningQuery::since)).toList();
  }

  /**
   * Ends a query; it stops within 100 ms.
   *
   * @return false if there is no query of that id
   */
  public boolean kill(String id) {
    RunningQuery query = all.get(id);
    if (query != null) {
      query.use().stop(Outcome.KILLED);
    }
    return query != null;
  }

  public int running() {
    return gate.running();
  }

  public int waiting() {
    return gate.waiting();
  }

  /** Returns the number of bytes that all queries hold. */
  public long held() {
    return memory.held();
  }

  public QueryCapacity capacity() {
    return capacity;
  }

  /**
   * Runs a query when there is capacity for it.
   *
   * @param known receives the query before it waits, so that it can be stopped
   * @throws QueryStoppedException if it was not admitted, or was stopped
   * @throws E if the work throws it
   */
  public <T extends @Nullable Object, E extends Exception> T run(
      QueryOrigin origin, QueryLimits limits, Consumer<RunningQuery> known, Work<T, E> work)
      throws E {
    RunningQuery query =
        new RunningQuery(
            prefix + "-" + next.incrementAndGet(),
            origin,
            clock.instant(),
            new QueryUse(limits, memory, origin.language()));
    // Either this call sees that the registry is closed, or close() sees the query.
    all.put(query.id(), query);
    Outcome outcome = Outcome.FAILED;
    @Nullable String reason = null;
    try {
      if (closed) {
        throw new QueryStoppedException(Outcome.BUSY, STOPPING, Duration.ofSeconds(5), null);
      }
      known.accept(query);
      QueryGate.Permit permit = gate.enter(query);
      try {
        T result = onPlatformThread(query, permit, work);
        // If the answer has already started, the error is its last line.
        reason = query.use().refusal();
        outcome = outcome(query.use());
        return result;
      } finally {
        permit.leave();
      }
    } catch (QueryStoppedException e) {
      outcome = e.outcome();
      reason = e.getMessage();
      throw e;
    } catch (Exception e) {
      Outcome stopped = query.use().stopped();
      reason = e.getMessage();
      if (stopped != null) {
        outcome = stopped;
        QueryStoppedException stop = stop(query, stopped, e);
        reason = stop.getMessage();
        throw stop;
      }
      // A checked exception means that the client has disconnected.
      outcome = e instanceof RuntimeException thrown ? outcome(thrown) : Outcome.GONE;
      throw e;
    } finally {
      all.remove(query.id());
      Duration waited = query.waited();
      Duration ran = query.ran();
      try {
        ended.accept(new EndedQuery(query, outcome, reason, waited, ran));
      } finally {
        query.use().memory().releaseAll();
      }
    }
  }

  private <T extends @Nullable Object, E extends Exception> T onPlatformThread(
      RunningQuery query, QueryGate.Permit permit, Work<T, E> work) throws E {
    if (!Thread.currentThread().isVirtual()) {
      return timed(query, permit, false, work);
    }
    Future<T> result = threads.submit(() -> timed(query, permit, true, work));
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return result.get();
        } catch (InterruptedException e) {
          interrupted = true;
          query.use().stop(Outcome.GONE);
        } catch (ExecutionException e) {
          switch (e.getCause()) {
            case RuntimeException thrown -> throw thrown;
            case Error thrown -> throw thrown;
            case null -> throw new IllegalStateException("a query ended without a cause", e);
            default -> {
              @SuppressWarnings("unchecked") // the work throws nothing else that is checked
              E thrown = (E) e.getCause();
              throw thrown;
            }
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private <T extends @Nullable Object, E extends Exception> T timed(
      RunningQuery query, QueryGate.Permit permit, boolean onOwnThread, Work<T, E> work) throws E {
    query.start();
    Duration time = query.use().limits().time();
    if (!time.isPositive()) {
      query.use().stop(Outcome.TIMEOUT);
    }
    query.use().ensureWanted();
    try (Stint stint = new Stint(query, permit, onOwnThread, ticker)) {
      query.use().begin(stint);
      return work.run(query);
    }
  }

  private QueryStoppedException stop(RunningQuery query, Outcome why, Throwable cause) {
    QueryUse use = query.use();
    String message =
        switch (why) {
          case TIMEOUT ->
              "the query took longer than %s and was stopped after reading %,d samples in %,d of %,d matching series%s; request less data"
                  .formatted(
                      DurationText.text(use.limits().time()),
                      use.samplesRead(),
                      use.seriesRead(),
                      use.seriesMatched(),
                      wouldRead(use));
          case KILLED -> "the query was killed, as %s".formatted(query.id());
          case GONE, OK, REFUSED, LIMIT, BUSY, FAILED -> closed ? STOPPING : "the client went away";
        };
    return new QueryStoppedException(why, message, null, cause);
  }

  /** Returns an estimate of the time for all reads, in words; empty if it is unknown. */
  private static String wouldRead(QueryUse use) {
    long millis = use.progress().ofAll(use.limits().time().toMillis());
    return millis < 0
        ? ""
        : "; reading all of them would take about " + DurationText.text(Duration.ofMillis(millis));
  }

  private static Outcome outcome(QueryUse answered) {
    if (answered.limitStruck()) {
      return Outcome.LIMIT;
    }
    return answered.refusal() == null ? Outcome.OK : Outcome.REFUSED;
  }

  private static Outcome outcome(RuntimeException thrown) {
    return switch (ErrorKind.of(thrown)) {
      case USER, NOT_FOUND -> Outcome.REFUSED;
      case LIMIT -> Outcome.LIMIT;
      case OVERLOADED -> Outcome.BUSY;
      case CANCELLED -> Outcome.GONE;
      case UNAVAILABLE, CORRUPT, INTERNAL -> Outcome.FAILED;
    };
  }

  /** Stops waiting and running queries, and rejects later ones. Idempotent. */
  @Override
  public void close() {
    closed = true;
    all.values().forEach(query -> query.use().stop(Outcome.GONE));
    ticker.close();
  }
}

package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.NoNodeAvailableException;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.StoreException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends, awaits, retries and counts the requests of a store, and ends them when the store closes.
 */
final class Requests implements AutoCloseable {
  /** The interval at which a wait checks whether it is still wanted. */
  private static final long WAIT_MILLIS_MAX = 20;

  private static final long PAUSE_MILLIS = 50;
  private static final long PAUSE_MAX_MILLIS = 2_000;

  private static final Logger LOG = LoggerFactory.getLogger(Requests.class);

  private final CqlSession session;
  private final CassandraOptions options;
  private final Semaphore writesInFlight;
  private final Semaphore readsInFlight;
  private final Map<String, PreparedStatement> prepared = new ConcurrentHashMap<>();
  private final LongAdder sent = new LongAdder();
  private final LongAdder repeated = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private volatile boolean replicasKnown;
  private volatile boolean closed;

  /** Throws if an answer is no longer wanted. */
  interface Wanted {
    void ensure();
  }

  Requests(CassandraOptions options) {
    this.options = options;
    this.writesInFlight = new Semaphore(options.requestsInFlight());
    this.readsInFlight = new Semaphore(options.requestsInFlight());
    this.session = Sessions.open(options);
  }

  CassandraOptions options() {
    return options;
  }

  /** Returns the name of the cluster. */
  String clusterName() {
    return session.getMetadata().getClusterName().orElse("");
  }

  void ensureOpen() {
    if (closed) {
      throw new StoreException("the cassandra store is closed");
    }
  }

  /** Decides what to send after a failure. */
  interface Again {
    /**
     * Returns the statement to send next.
     *
     * @param attempt number of attempts before the failed one
     * @return null to give up
     */
    @Nullable Statement<?> after(Throwable failure, int attempt);
  }

  PreparedStatement prepare(String cql) {
    return prepare(this::ensureOpen, cql);
  }

  private PreparedStatement prepare(Wanted wanted, String cql) {
    PreparedStatement known = prepared.get(cql);
    if (known != null) {
      return known;
    }
    ensureOpen();
    for (int attempt = 0; ; attempt++) {
      try {
        PreparedStatement made = await(session.prepareAsync(cql).toCompletableFuture(), wanted);
        prepared.put(cql, made);
        return made;
      } catch (ExecutionException e) {
        Throwable cause = Failures.cause(e);
        // A node may not know a new table yet.
        boolean hopeless =
            Failures.status(cause) == Status.REJECTED && !Failures.isMissingTable(cause);
        if (attempt >= options.retries() || hopeless) {
          throw failure(cause, false);
        }
        pause(attempt, wanted);
      }
    }
  }

  /** Binds buffers, unchanged, and numbers to a statement. */
  BoundStatement bind(String cql, @Nullable Object... values) {
    return bind(this::ensureOpen, cql, values);
  }

  /** Binds values to a statement. While it is prepared, {@code wanted} is checked. */
  BoundStatement bind(Wanted wanted, String cql, @Nullable Object... values) {
    BoundStatementBuilder builder = prepare(wanted, cql).boundStatementBuilder();
    for (int i = 0; i < values.length; i++) {
      builder =
          switch (values[i]) {
            case null -> builder.setToNull(i);
            case ByteBuffer bytes -> builder.setBytesUnsafe(i, bytes);
            case Long number -> builder.setLong(i, number);
            case Integer number -> builder.setInt(i, number);
            case String text -> builder.setString(i, text);
            default -> throw new IllegalArgumentException("not a CQL value: " + values[i]);
          };
    }
    return builder.build();
  }

  /** Drops prepared statements that name a table. */
  void forget(String cqlTable) {
    prepared.keySet().removeIf(cql -> cql.contains(CqlNames.quoted(cqlTable)));
  }

  /** Sends a request other than a write of cells once, as soon as the limit permits. */
  CompletableFuture<AsyncResultSet> send(Statement<?> statement, Wanted wanted) {
    boolean interrupted = false;
    try {
      while (true) {
        wanted.ensure();
        ensureOpen();
        try {
          if (readsInFlight.tryAcquire(WAIT_MILLIS_MAX, TimeUnit.MILLISECONDS)) {
            return send(statement, readsInFlight);
          }
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Sends a write once, as soon as the limit permits. */
  CompletableFuture<AsyncResultSet> sendWrite(Statement<?> write) {
    writesInFlight.acquireUninterruptibly();
    return send(write, writesInFlight);
  }

  /**
   * Sends a request.
   *
   * @param inFlight permits, one of them the caller's, which is released when the request ends
   */
  private CompletableFuture<AsyncResultSet> send(Statement<?> statement, Semaphore inFlight) {
    try {
      ensureOpen();
      sent.increment();
      return session
          .executeAsync(statement)
          .toCompletableFuture()
          .whenComplete((result, failure) -> inFlight.release());
    } catch (RuntimeException e) {
      inFlight.release();
      throw e;
    }
  }

  /**
   * Waits for an answer as long as it is wanted.
   *
   * @throws ExecutionException if the request failed
   */
  <T> T await(CompletableFuture<T> answer, Wanted wanted) throws ExecutionException {
    boolean interrupted = false;
    try {
      while (true) {
        wanted.ensure();
        try {
          return answer.get(WAIT_MILLIS_MAX, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
          ensureOpen();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Sends a request that may be repeated, and waits for its answer.
   *
   * @throws StoreException if all attempts fail; unknown if it may have been applied
   */
  AsyncResultSet execute(Statement<?> statement) {
    return execute(
        send(statement, this::ensureOpen),
        (failure, attempt) ->
            attempt >= options.retries() || Failures.status(failure) == Status.REJECTED
                ? null
                : statement,
        this::ensureOpen);
  }

  /**
   * Waits for the answer to a request in progress, and sends another if it failed.
   *
   * @throws StoreException if all attempts fail; unknown if one of them may have been applied
   */
  AsyncResultSet execute(CompletableFuture<AsyncResultSet> first, Again again, Wanted wanted) {
    CompletableFuture<AsyncResultSet> answer = first;
    boolean maybeApplied = false;
    for (int attempt = 0; ; attempt++) {
      Statement<?> next;
      try {
        return await(answer, wanted);
      } catch (ExecutionException e) {
        Throwable cause = Failures.cause(e);
        maybeApplied |= Failures.status(cause) == Status.UNKNOWN;
        next = again.after(cause, attempt);
        if (next == null) {
          throw failure(cause, maybeApplied);
        }
      }
      pause(attempt, wanted);
      countRetry();
      answer = send(next, wanted);
    }
  }

  /**
   * Sends a conditional statement once, because it must not be repeated, and waits for its answer.
   *
   * @throws StoreException if it fails; unknown if it may have been applied
   */
  AsyncResultSet executeOnce(Statement<?> statement) {
    try {
      return await(send(statement, this::ensureOpen), this::ensureOpen);
    } catch (ExecutionException e) {
      Throwable cause = Failures.cause(e);
      throw failure(cause, Failures.ofConditional(cause) == Status.UNKNOWN);
    }
  }

  /** Waits before the next attempt, with exponential backoff and jitter. */
  void pause(int attempt, Wanted wanted) {
    long most = Math.min(PAUSE_MAX_MILLIS, PAUSE_MILLIS << Math.min(attempt, 10));
    long end =
        System.nanoTime()
            + TimeUnit.MILLISECONDS.toNanos(
                most / 2 + ThreadLocalRandom.current().nextLong(most / 2 + 1));
    while (System.nanoTime() < end) {
      wanted.ensure();
      ensureOpen();
      LockSupport.parkNanos(
          Math.min(TimeUnit.MILLISECONDS.toNanos(WAIT_MILLIS_MAX), end - System.nanoTime()));
    }
  }

  void countRetry() {
    repeated.increment();
  }

  /**
   * Translates the failure of a request.
   *
   * @param unknown whether the request may have been applied
   */
  StoreException failure(Throwable cause, boolean unknown) {
    if (closed) {
      return new StoreException("the cassandra store is closed", cause, unknown);
    }
    if (cause instanceof StoreException known) {
      return known;
    }
    failed.increment();
    String grant = Grants.missing(cause, CqlNames.quoted(options.keyspace()));
    String words =
        cause instanceof NoNodeAvailableException
            ? nobody()
            : grant == null ? Failures.words(cause) : grant;
    return new StoreException("cassandra: " + words, cause, unknown);
  }

  private String nobody() {
    String datacenter = options.datacenter();
    return datacenter == null
        ? "no node of the contact points' data center can be reached"
        : "no node of data center '%s' (option local-datacenter) can be reached"
            .formatted(datacenter);
  }

  /**
   * Once the keyspace exists, learns which nodes hold which partitions, so that the driver can
   * address one of them.
   */
  void learnReplicas() {
    if (replicasKnown || session.getMetadata().getNodes().size() == 1) {
      return;
    }
    try {
      await(session.refreshSchemaAsync().toCompletableFuture(), this::ensureOpen);
      replicasKnown = true;
    } catch (ExecutionException e) {
      LOG.warn(
          "cassandra: requests go to any node instead of a replica: {}",
          Failures.words(Failures.cause(e)));
    }
  }

  CqlSession session() {
    return session;
  }

  Map<String, Double> figures() {
    return Map.of(
        "requests_total", (double) sent.sum(),
        "requests_repeated_total", (double) repeated.sum(),
        "requests_failed_total", (double) failed.sum(),
        "writes_in_flight", inFlight(writesInFlight),
        "reads_in_flight", inFlight(readsInFlight));
  }

  private double inFlight(Semaphore limit) {
    return options.requestsInFlight() - limit.availablePermits();
  }

  @Override
  public void close() {
    closed = true;
    session.close();
  }
}

package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
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

/** The requests of a store: sent, awaited, repeated, counted, and ended with the store. */
final class Requests implements AutoCloseable {
  /** How often a wait looks whether it is still wanted. */
  private static final long PATIENCE_MILLIS = 20;

  private static final long PAUSE_MILLIS = 50;
  private static final long PAUSE_MAX_MILLIS = 2_000;

  private final CqlSession session;
  private final CassandraOptions options;
  private final Semaphore writesInFlight;
  private final Map<String, PreparedStatement> prepared = new ConcurrentHashMap<>();
  private final LongAdder sent = new LongAdder();
  private final LongAdder repeated = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private volatile boolean closed;

  /** Says whether an answer is still waited for, by throwing where it is not. */
  interface Wanted {
    void ensure();
  }

  Requests(CassandraOptions options) {
    this.options = options;
    this.writesInFlight = new Semaphore(options.requestsInFlight());
    this.session = Sessions.open(options);
  }

  CassandraOptions options() {
    return options;
  }

  /** What the cluster calls itself. */
  String clusterName() {
    return session.getMetadata().getClusterName().orElse("");
  }

  void ensureOpen() {
    if (closed) {
      throw new StoreException("the cassandra store is closed");
    }
  }

  PreparedStatement prepare(String cql) {
    PreparedStatement known = prepared.get(cql);
    if (known != null) {
      return known;
    }
    ensureOpen();
    for (int attempt = 0; ; attempt++) {
      try {
        PreparedStatement made = session.prepare(cql);
        prepared.put(cql, made);
        return made;
      } catch (RuntimeException e) {
        // A node may not have heard of a new table yet.
        boolean hopeless = Failures.status(e) == Status.REJECTED && !Failures.isMissingTable(e);
        if (attempt >= options.retries() || hopeless) {
          throw failure(e);
        }
        pause(attempt, this::ensureOpen);
      }
    }
  }

  /** A statement with its values: buffers as they are, and numbers. */
  BoundStatement bind(String cql, @Nullable Object... values) {
    BoundStatementBuilder builder = prepare(cql).boundStatementBuilder();
    for (int i = 0; i < values.length; i++) {
      builder =
          switch (values[i]) {
            case null -> builder.setToNull(i);
            case ByteBuffer bytes -> builder.setBytesUnsafe(i, bytes);
            case Long number -> builder.setLong(i, number);
            case Integer number -> builder.setInt(i, number);
            case String text -> builder.setString(i, text);
            default -> throw new IllegalArgumentException("no value of CQL: " + values[i]);
          };
    }
    return builder.build();
  }

  /** Forgets statements that name a table. */
  void forget(String cqlTable) {
    prepared.keySet().removeIf(cql -> cql.contains(CqlNames.quoted(cqlTable)));
  }

  /** Sends a request once, however many are under way. */
  CompletableFuture<AsyncResultSet> send(Statement<?> statement) {
    ensureOpen();
    sent.increment();
    return session.executeAsync(statement).toCompletableFuture();
  }

  /** Sends a write once, as soon as fewer than the limit are under way. */
  CompletableFuture<AsyncResultSet> sendWrite(Statement<?> write) {
    writesInFlight.acquireUninterruptibly();
    try {
      return send(write).whenComplete((result, failure) -> writesInFlight.release());
    } catch (RuntimeException e) {
      writesInFlight.release();
      throw e;
    }
  }

  /**
   * Waits for an answer for as long as it is wanted.
   *
   * @throws ExecutionException if the request failed
   */
  <T> T await(CompletableFuture<T> answer, Wanted wanted) throws ExecutionException {
    boolean interrupted = false;
    try {
      while (true) {
        wanted.ensure();
        try {
          return answer.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
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
   * @throws StoreException if it fails for good; unknown where it may have been applied
   */
  AsyncResultSet execute(Statement<?> statement) {
    return execute(send(statement), statement, this::ensureOpen);
  }

  /** Waits for the answer to a request under way, and repeats it where it failed. */
  AsyncResultSet execute(
      CompletableFuture<AsyncResultSet> first, Statement<?> statement, Wanted wanted) {
    CompletableFuture<AsyncResultSet> answer = first;
    for (int attempt = 0; ; attempt++) {
      try {
        return await(answer, wanted);
      } catch (ExecutionException e) {
        Throwable cause = Failures.cause(e);
        if (attempt >= options.retries() || Failures.status(cause) == Status.REJECTED) {
          throw failure(cause);
        }
      }
      pause(attempt, wanted);
      countRetry();
      answer = send(statement);
    }
  }

  /**
   * Sends a request once, which must not be repeated, and waits for its answer.
   *
   * @throws StoreException if it fails; unknown where it may have been applied
   */
  AsyncResultSet executeOnce(Statement<?> statement) {
    try {
      return await(send(statement), this::ensureOpen);
    } catch (ExecutionException e) {
      throw failure(Failures.cause(e));
    }
  }

  /** Waits before the next attempt: longer each time, and not all at once. */
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
          Math.min(TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS), end - System.nanoTime()));
    }
  }

  void countRetry() {
    repeated.increment();
  }

  /** The failure of a request in our words. */
  StoreException failure(Throwable cause) {
    if (closed) {
      return new StoreException("the cassandra store is closed", cause);
    }
    if (cause instanceof StoreException known) {
      return known;
    }
    failed.increment();
    return new StoreException(
        "cassandra: " + Failures.words(cause), cause, Failures.status(cause) == Status.UNKNOWN);
  }

  CqlSession session() {
    return session;
  }

  Map<String, Double> figures() {
    return Map.of(
        "requests_total", (double) sent.sum(),
        "requests_repeated_total", (double) repeated.sum(),
        "requests_failed_total", (double) failed.sum(),
        "writes_in_flight",
            (double) (options.requestsInFlight() - writesInFlight.availablePermits()));
  }

  @Override
  public void close() {
    closed = true;
    session.close();
  }
}

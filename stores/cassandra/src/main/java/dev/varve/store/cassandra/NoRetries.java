package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.retry.RetryDecision;
import com.datastax.oss.driver.api.core.retry.RetryPolicy;
import com.datastax.oss.driver.api.core.retry.RetryVerdict;
import com.datastax.oss.driver.api.core.servererrors.CoordinatorException;
import com.datastax.oss.driver.api.core.servererrors.WriteType;
import com.datastax.oss.driver.api.core.session.Request;

/**
 * Never retries. {@link Requests} does that, so that every failed attempt counts for the outcome of
 * a write.
 */
public final class NoRetries implements RetryPolicy {
  /** Called by the driver, by reflection. */
  public NoRetries(DriverContext context, String profile) {}

  @Override
  public RetryVerdict onReadTimeoutVerdict(
      Request request, ConsistencyLevel level, int wanted, int got, boolean data, int retries) {
    return () -> RetryDecision.RETHROW;
  }

  @Override
  public RetryVerdict onWriteTimeoutVerdict(
      Request request, ConsistencyLevel level, WriteType type, int wanted, int got, int retries) {
    return () -> RetryDecision.RETHROW;
  }

  @Override
  public RetryVerdict onUnavailableVerdict(
      Request request, ConsistencyLevel level, int required, int alive, int retries) {
    return () -> RetryDecision.RETHROW;
  }

  @Override
  public RetryVerdict onRequestAbortedVerdict(Request request, Throwable error, int retries) {
    return () -> RetryDecision.RETHROW;
  }

  @Override
  public RetryVerdict onErrorResponseVerdict(
      Request request, CoordinatorException error, int retries) {
    return () -> RetryDecision.RETHROW;
  }

  @Override
  @Deprecated
  public RetryDecision onReadTimeout(
      Request request, ConsistencyLevel level, int wanted, int got, boolean data, int retries) {
    throw neverAsked();
  }

  @Override
  @Deprecated
  public RetryDecision onWriteTimeout(
      Request request, ConsistencyLevel level, WriteType type, int wanted, int got, int retries) {
    throw neverAsked();
  }

  @Override
  @Deprecated
  public RetryDecision onUnavailable(
      Request request, ConsistencyLevel level, int required, int alive, int retries) {
    throw neverAsked();
  }

  @Override
  @Deprecated
  public RetryDecision onRequestAborted(Request request, Throwable error, int retries) {
    throw neverAsked();
  }

  @Override
  @Deprecated
  public RetryDecision onErrorResponse(Request request, CoordinatorException error, int retries) {
    throw neverAsked();
  }

  private static IllegalStateException neverAsked() {
    return new IllegalStateException("the driver asks for verdicts");
  }

  @Override
  public void close() {}
}

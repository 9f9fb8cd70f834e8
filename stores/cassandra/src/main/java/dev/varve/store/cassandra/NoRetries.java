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
 * Repeats nothing: {@link Requests} does that, so that every failure on the way counts for how a
 * write ended.
 */
public final class NoRetries implements RetryPolicy {
  /** Made by the driver, which finds it by its name. */
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

package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.NodeUnavailableException;
import com.datastax.oss.driver.api.core.RequestThrottlingException;
import com.datastax.oss.driver.api.core.auth.AuthenticationException;
import com.datastax.oss.driver.api.core.connection.BusyConnectionException;
import com.datastax.oss.driver.api.core.connection.FrameTooLongException;
import com.datastax.oss.driver.api.core.servererrors.BootstrappingException;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.datastax.oss.driver.api.core.servererrors.UnavailableException;
import dev.varve.store.RowOutcome.Status;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

/** Derives from the failure of a request the outcome of the write that it carried. */
final class Failures {
  private Failures() {}

  /**
   * Returns the outcome of a failed write: never applied, and a retry would fail the same way
   * ({@link Status#REJECTED}); never sent to a replica ({@link Status#NOT_APPLIED}); otherwise
   * {@link Status#UNKNOWN}, for instance after a timeout or from an overloaded node.
   */
  static Status status(Throwable failure) {
    return switch (failure) {
      case QueryValidationException invalid -> Status.REJECTED;
      case FrameTooLongException tooLong -> Status.REJECTED;
      case AuthenticationException refused -> Status.REJECTED;
      case UnavailableException tooFew -> Status.NOT_APPLIED;
      case BootstrappingException tooEarly -> Status.NOT_APPLIED;
      case BusyConnectionException busy -> Status.NOT_APPLIED;
      case RequestThrottlingException throttled -> Status.NOT_APPLIED;
      case NodeUnavailableException notReached -> Status.NOT_APPLIED;
      case AllNodesFailedException all -> ofAll(all);
      default -> Status.UNKNOWN;
    };
  }

  /**
   * Returns the outcome of a failed conditional write. "Too few replicas" may refer to the commit
   * of something already decided.
   */
  static Status ofConditional(Throwable failure) {
    boolean perhapsDecided =
        failure instanceof UnavailableException
            || (failure instanceof AllNodesFailedException all
                && errors(all).anyMatch(UnavailableException.class::isInstance));
    return perhapsDecided ? Status.UNKNOWN : status(failure);
  }

  /**
   * Returns the outcome of a write after several attempts. If any attempt may have been applied,
   * the outcome is unknown, whatever a later attempt returned.
   *
   * @param maybeApplied whether one of the attempts may have been applied
   */
  static Status ending(Throwable last, boolean maybeApplied) {
    if (maybeApplied) {
      return Status.UNKNOWN;
    }
    return isForAnOperator(last) ? Status.NOT_APPLIED : status(last);
  }

  /** Returns whether an operator can fix the cause in the cluster. */
  private static boolean isForAnOperator(Throwable failure) {
    return failure instanceof UnauthorizedException
        || failure instanceof AuthenticationException
        || isMissingTable(failure);
  }

  /** Returns whether an answer exceeded the maximum frame size. */
  static boolean isTooLong(Throwable failure) {
    return failure instanceof FrameTooLongException
        || (failure instanceof AllNodesFailedException all
            && errors(all).anyMatch(FrameTooLongException.class::isInstance));
  }

  private static Stream<Throwable> errors(AllNodesFailedException all) {
    return all.getAllErrors().values().stream().flatMap(List::stream);
  }

  private static Status ofAll(AllNodesFailedException all) {
    return errors(all).allMatch(error -> status(error) == Status.NOT_APPLIED)
        ? Status.NOT_APPLIED
        : Status.UNKNOWN;
  }

  /** Returns whether a table that a statement names does not exist. */
  static boolean isMissingTable(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    return failure instanceof QueryValidationException
        && (message.contains("unconfigured table")
            || message.matches("(?s).*[Tt]able .* does not exist.*")
            || message.matches("(?s).*[Kk]eyspace .* does not exist.*"));
  }

  /** Unwraps the cause of a failed future. */
  static Throwable cause(Throwable failure) {
    Throwable cause = failure.getCause();
    return cause != null
            && (failure instanceof CompletionException || failure instanceof ExecutionException)
        ? cause
        : failure;
  }

  static String words(Throwable failure) {
    String name = failure.getClass().getSimpleName();
    Throwable cause = failure.getCause();
    if (failure.getMessage() != null) {
      return name + ": " + failure.getMessage();
    }
    return cause == null ? name : name + ": " + words(cause);
  }
}

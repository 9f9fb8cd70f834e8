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

/** What the failure of a request says of the write that it carried. */
final class Failures {
  private Failures() {}

  /**
   * How a write ended that failed so: never applied, and never will be as it is ({@link
   * Status#REJECTED}); never sent to a replica ({@link Status#NOT_APPLIED}); anything else is
   * {@link Status#UNKNOWN}, a timeout and an overloaded node among them.
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
   * How a conditional write ended: that too few replicas are up may be said of the commit of what
   * was decided already.
   */
  static Status ofConditional(Throwable failure) {
    boolean perhapsDecided =
        failure instanceof UnavailableException
            || (failure instanceof AllNodesFailedException all
                && errors(all).anyMatch(UnavailableException.class::isInstance));
    return perhapsDecided ? Status.UNKNOWN : status(failure);
  }

  /**
   * How a write ended after several attempts: of what may stand nobody knows, whatever is said of a
   * later attempt.
   *
   * @param maybeApplied whether one of the attempts may have been applied
   */
  static Status ending(Throwable last, boolean maybeApplied) {
    if (maybeApplied) {
      return Status.UNKNOWN;
    }
    return isForAnOperator(last) ? Status.NOT_APPLIED : status(last);
  }

  /** Whether somebody can put right in the cluster what a request was refused for. */
  private static boolean isForAnOperator(Throwable failure) {
    return failure instanceof UnauthorizedException
        || failure instanceof AuthenticationException
        || isMissingTable(failure);
  }

  /** Whether an answer was larger than a frame may be. */
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

  /** Whether a table that a statement names is not there. */
  static boolean isMissingTable(Throwable failure) {
    String message = String.valueOf(failure.getMessage());
    return failure instanceof QueryValidationException
        && (message.contains("unconfigured table")
            || message.matches("(?s).*[Tt]able .* does not exist.*")
            || message.matches("(?s).*[Kk]eyspace .* does not exist.*"));
  }

  /** What a future that failed hides. */
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

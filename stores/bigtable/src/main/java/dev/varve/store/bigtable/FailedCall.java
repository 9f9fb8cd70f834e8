package dev.varve.store.bigtable;

import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.StatusCode.Code;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.StoreException;
import java.net.ConnectException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A call that failed, in Bigtable or on the way to it; derives the outcome of a write. */
final class FailedCall extends RuntimeException {
  private static final long serialVersionUID = 1;

  private static final Pattern APP_PROFILE =
      Pattern.compile("app[ _-]?profile", Pattern.CASE_INSENSITIVE);

  private final Code code;
  private final Throwable reason;

  FailedCall(Throwable thrown) {
    super(thrown);
    Throwable found = thrown;
    while (!(found instanceof ApiException) && found.getCause() != null) {
      found = found.getCause();
    }
    this.reason = found instanceof ApiException ? found : thrown;
    this.code =
        switch (found) {
          case ApiException api -> api.getStatusCode().getCode();
          case TimeoutException _ -> Code.DEADLINE_EXCEEDED;
          default -> Code.UNKNOWN;
        };
  }

  /** Returns whether a retry may succeed. */
  boolean isWorthRetrying() {
    return switch (code) {
      case UNAVAILABLE, DEADLINE_EXCEEDED, ABORTED, RESOURCE_EXHAUSTED -> true;
      default -> false;
    };
  }

  /** Returns whether Bigtable may have applied the call, so that its outcome is unknown. */
  boolean mayBeApplied() {
    return switch (code) {
      case INVALID_ARGUMENT,
          OUT_OF_RANGE,
          UNIMPLEMENTED,
          NOT_FOUND,
          ALREADY_EXISTS,
          FAILED_PRECONDITION,
          PERMISSION_DENIED,
          UNAUTHENTICATED,
          RESOURCE_EXHAUSTED ->
          false;
      case UNAVAILABLE -> !neverLeft();
      default -> true;
    };
  }

  /** Returns whether there was no connection over which to send the call. */
  private boolean neverLeft() {
    for (@Nullable Throwable cause = reason; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException) {
        return true;
      }
    }
    return false;
  }

  boolean isUnavailable() {
    return code == Code.UNAVAILABLE;
  }

  /** Returns whether the table does not exist. The same code is used for a missing app profile. */
  boolean isNotFound() {
    return code == Code.NOT_FOUND && !APP_PROFILE.matcher(text()).find();
  }

  boolean isForbidden() {
    return code == Code.PERMISSION_DENIED;
  }

  boolean isAlreadyThere() {
    return code == Code.ALREADY_EXISTS;
  }

  /** Returns the outcome of a mutation, given that no earlier attempt can have been applied. */
  RowOutcome outcome(String what) {
    Status status =
        mayBeApplied()
            ? Status.UNKNOWN
            : switch (code) {
              case INVALID_ARGUMENT, OUT_OF_RANGE, UNIMPLEMENTED -> Status.REJECTED;
              default -> Status.NOT_APPLIED;
            };
    return new RowOutcome(status, describe(what));
  }

  String describe(String what) {
    return "%s: %s %s".formatted(what, code, text());
  }

  private String text() {
    Throwable root = reason;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String message = reason.getMessage() == null ? reason.toString() : reason.getMessage();
    String deepest = root.getMessage();
    return deepest == null || message.contains(deepest) ? message : message + " (" + deepest + ")";
  }

  StoreException toStoreException(String what) {
    return new StoreException(describe(what), reason, mayBeApplied());
  }
}

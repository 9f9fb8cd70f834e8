package dev.varve.store.hbase;

import dev.varve.store.StoreException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.CallDroppedException;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.PleaseHoldException;
import org.apache.hadoop.hbase.RegionException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;
import org.apache.hadoop.hbase.ipc.FailedServerException;
import org.apache.hadoop.hbase.ipc.ServerNotRunningYetException;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.ipc.RemoteException;
import org.jspecify.annotations.Nullable;

/**
 * The reason of a failed call, and its meaning for a write.
 *
 * @param reason the reason, in words
 */
record Failure(Kind kind, String reason, Throwable cause) {
  enum Kind {
    /** HBase rejected the call and would do so again. */
    REFUSED,
    /** The call was not applied. */
    NOT_APPLIED,
    /** The outcome is unknown: the call timed out, or the connection was lost during the call. */
    UNKNOWN
  }

  /**
   * HBase returns this for all rows of a region in one request, even if it has applied some of
   * them: it checks the load repeatedly while it applies them.
   */
  private static final Class<? extends IOException> AMID = RegionTooBusyException.class;

  /**
   * Errors that HBase returns before it starts to apply, or that show that it was never reached.
   */
  private static final List<Class<? extends IOException>> NOT_BEGUN =
      List.of(
          NotServingRegionException.class,
          RegionException.class,
          CallDroppedException.class,
          PleaseHoldException.class,
          ServerNotRunningYetException.class,
          FailedServerException.class,
          ConnectException.class,
          NoRouteToHostException.class,
          UnknownHostException.class);

  /**
   * One attempt in the client's list: its time and exception, without the package and repeated
   * text.
   */
  private static final Pattern ATTEMPT =
      Pattern.compile(
          "(?m)^\\S+Z, (?:[a-z]\\w*\\.)+(?!FailedServerException)(\\w+: .*?)(?: \\[Caused by javax\\.security\\.sasl\\..*)?$");

  /** Returns the failure of a call for one row. */
  static Failure of(Throwable thrown) {
    Throwable cause = root(thrown);
    Kind kind =
        AMID.isInstance(cause) || NOT_BEGUN.stream().anyMatch(known -> known.isInstance(cause))
            ? Kind.NOT_APPLIED
            : cause instanceof DoNotRetryIOException ? Kind.REFUSED : Kind.UNKNOWN;
    return new Failure(kind, reason(thrown, cause), cause);
  }

  /** Returns the meaning of this failure for one row of a request with several. */
  Failure amid(int rows) {
    return rows > 1 && AMID.isInstance(cause) ? new Failure(Kind.UNKNOWN, reason, cause) : this;
  }

  /** Returns the error of the last attempt. */
  private static Throwable root(Throwable thrown) {
    Throwable inner =
        switch (thrown) {
          case CompletionException wrapped -> wrapped.getCause();
          case ExecutionException wrapped -> wrapped.getCause();
          case RetriesExhaustedException wrapped -> wrapped.getCause();
          case RemoteException remote -> unwrapped(remote);
          default -> null;
        };
    return inner == null ? thrown : root(inner);
  }

  /** Returns the exception that the server threw; null if its class is missing here. */
  private static @Nullable Throwable unwrapped(RemoteException remote) {
    IOException inner = remote.unwrapRemoteException();
    return inner instanceof RemoteException ? null : inner;
  }

  /**
   * Returns the reason that the server was not called. The client avoids a server for some time
   * after a connection failure and then reports only that; the cause is in its list of attempts,
   * one per line.
   */
  private static String reason(Throwable thrown, Throwable cause) {
    if (cause instanceof FailedServerException) {
      for (@Nullable Throwable at = thrown; at != null; at = at.getCause()) {
        if (at instanceof RetriesExhaustedException) {
          Matcher attempt = ATTEMPT.matcher(at.getMessage());
          return attempt.find() ? attempt.group(1) : reason(cause);
        }
      }
    }
    return reason(cause);
  }

  /** Returns the first line: a stack trace of the server follows it. */
  private static String reason(Throwable cause) {
    String message = cause.getMessage();
    String name = cause.getClass().getSimpleName();
    return message == null || message.isBlank()
        ? name
        : name + ": " + message.lines().findFirst().orElse("").strip();
  }

  boolean isMissingTable() {
    return cause instanceof TableNotFoundException;
  }

  /** Returns whether an operator can fix the cause on the server. */
  boolean isForAnOperator() {
    return isMissingTable() || cause instanceof AccessDeniedException;
  }

  StoreException toException(String doing) {
    return new StoreException(
        "hbase store: %s: %s".formatted(doing, reason), cause, kind == Kind.UNKNOWN);
  }
}

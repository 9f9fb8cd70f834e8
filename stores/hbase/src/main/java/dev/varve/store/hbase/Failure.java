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
 * Why a call failed, and what that says of a write.
 *
 * @param reason in words
 */
record Failure(Kind kind, String reason, Throwable cause) {
  enum Kind {
    /** HBase refused it and would again. */
    REFUSED,
    /** It did not get so far as to be applied. */
    NOT_APPLIED,
    /** Nobody knows: time ran out, or a connection was lost with the call under way. */
    UNKNOWN
  }

  /**
   * What HBase answers for all rows of a region that came in one request, also when it has applied
   * some of them: it looks whether it is too busy again and again on the way through them.
   */
  private static final Class<? extends IOException> AMID = RegionTooBusyException.class;

  /** What HBase answers before it begins to apply, and what shows that it was never reached. */
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
   * An attempt of which there is more to say: its time, and what was thrown, without its package
   * and what comes a second time.
   */
  private static final Pattern ATTEMPT =
      Pattern.compile(
          "(?m)^\\S+Z, (?:[a-z]\\w*\\.)+(?!FailedServerException)(\\w+: .*?)(?: \\[Caused by javax\\.security\\.sasl\\..*)?$");

  /** How a call for one row failed. */
  static Failure of(Throwable thrown) {
    Throwable cause = root(thrown);
    Kind kind =
        AMID.isInstance(cause) || NOT_BEGUN.stream().anyMatch(known -> known.isInstance(cause))
            ? Kind.NOT_APPLIED
            : cause instanceof DoNotRetryIOException ? Kind.REFUSED : Kind.UNKNOWN;
    return new Failure(kind, reason(thrown, cause), cause);
  }

  /** What it says of one row where so many were in the request. */
  Failure amid(int rows) {
    return rows > 1 && AMID.isInstance(cause) ? new Failure(Kind.UNKNOWN, reason, cause) : this;
  }

  /** What went wrong in the last attempt. */
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

  /** What the server threw; null where this side has no such class. */
  private static @Nullable Throwable unwrapped(RemoteException remote) {
    IOException inner = remote.unwrapRemoteException();
    return inner instanceof RemoteException ? null : inner;
  }

  /**
   * Why the server was not called. For some time the client calls none again that it could not talk
   * to, and tells of that alone; why it could not is in what it lists of its attempts, one a line.
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

  /** The first line: what follows is the stack of a server. */
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

  /** Whether somebody can put right on the server what it was refused for. */
  boolean isForAnOperator() {
    return isMissingTable() || cause instanceof AccessDeniedException;
  }

  StoreException toException(String doing) {
    return new StoreException(
        "hbase store: %s: %s".formatted(doing, reason), cause, kind == Kind.UNKNOWN);
  }
}

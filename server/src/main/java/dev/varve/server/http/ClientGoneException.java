package dev.varve.server.http;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An answer cannot be written any more: the client went away, or takes nothing. */
public final class ClientGoneException extends IOException {
  private static final long serialVersionUID = 1;

  ClientGoneException(IOException cause) {
    super("the client went away: " + cause, cause);
  }

  /** The one that something was thrown for; null where there is none. */
  public static @Nullable ClientGoneException in(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof ClientGoneException gone) {
        return gone;
      }
    }
    return null;
  }
}

package dev.varve.server.http;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if the rest of a request cannot be read, or an answer cannot be written: the client closed
 * the connection, or does not read.
 */
public final class ClientGoneException extends IOException implements KnownError {
  private static final long serialVersionUID = 1;

  ClientGoneException(IOException cause) {
    super("the client went away: " + cause, cause);
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.CANCELLED;
  }

  /** Returns the one that caused an exception; null if there is none. */
  public static @Nullable ClientGoneException in(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof ClientGoneException gone) {
        return gone;
      }
    }
    return null;
  }
}

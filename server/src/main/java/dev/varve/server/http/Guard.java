package dev.varve.server.http;

import java.security.cert.X509Certificate;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Identifies the senders of requests. Thread-safe. */
public interface Guard {
  /** Admits everyone, with all rights. */
  Guard NONE = exchange -> Caller.ANYONE;

  /**
   * Returns the sender of a request.
   *
   * @throws HttpError 401 if the sender does not prove who it is; 429 after too many failures; 503
   *     if too many proofs wait to be checked
   */
  Caller identify(Exchange exchange);

  /** Returns headers of every answer. */
  default Map<String, String> headers() {
    return Map.of();
  }

  /** Identifies the sender of the lines of a connection. Thread-safe. */
  @FunctionalInterface
  interface Lines {
    /** Admits everyone, with all rights. */
    Lines NONE = (certificate, client) -> Sender.ANYONE;

    /**
     * Returns the sender of a connection, which may be one who is refused.
     *
     * @param certificate the client's certificate, not necessarily a verified one; null for none
     */
    Sender sender(@Nullable X509Certificate certificate, ClientAddress client);
  }
}

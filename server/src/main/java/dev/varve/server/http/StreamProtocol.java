package dev.varve.server.http;

import dev.varve.server.http.WriteBudget.Reservation;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A protocol on a plain connection, such as telnet lines. */
@FunctionalInterface
public interface StreamProtocol {
  /**
   * Serves a connection on a virtual thread. The connection is closed when the method returns.
   *
   * @param sender the sender; admitted when the connection begins, and to be checked again before
   *     each batch is written
   * @param in received bytes, at least one; -1 when the client is done or the server stops; fails
   *     when the connection has been silent for too long
   * @param memory reservation for received bytes; closed after the method returns
   * @throws SenderRefusedException if the sender may no longer write
   */
  void serve(Sender sender, InputStream in, OutputStream out, Reservation memory)
      throws IOException;
}

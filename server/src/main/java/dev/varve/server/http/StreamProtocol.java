package dev.varve.server.http;

import dev.varve.server.http.WriteBudget.Reservation;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A protocol of its own on a connection, such as lines over telnet. */
@FunctionalInterface
public interface StreamProtocol {
  /**
   * Serves a connection on a virtual thread of its own until it returns; the connection is closed
   * then.
   *
   * @param in gives what has come, at least one byte, and -1 when the client is done or the server
   *     stops; fails when the connection has been silent for too long
   * @param memory counts what is held of what has come; closed after this returns
   */
  void serve(InputStream in, OutputStream out, Reservation memory) throws IOException;
}

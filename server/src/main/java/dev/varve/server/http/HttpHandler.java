package dev.varve.server.http;

import java.io.IOException;

/**
 * Answers an exchange on a virtual thread of its own; it may block. An exception becomes an answer
 * if none was begun; otherwise it closes the connection.
 */
@FunctionalInterface
public interface HttpHandler {
  void handle(Exchange exchange) throws IOException;
}

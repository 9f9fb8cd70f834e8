package dev.varve.server.http;

import java.io.IOException;

/**
 * Answers an exchange, on a virtual thread of its own; it may block. What it throws becomes an
 * answer where none was begun, and else breaks the connection off.
 */
@FunctionalInterface
public interface HttpHandler {
  void handle(Exchange exchange) throws IOException;
}

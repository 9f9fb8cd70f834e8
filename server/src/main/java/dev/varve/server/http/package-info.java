/**
 * HTTP for this server: routes, exchanges with blocking streams, and limits.
 *
 * <p>{@link dev.varve.server.http.Exchange} is all that a handler sees of a request. {@link
 * dev.varve.server.http.Dispatcher} finds the handler, runs it, and answers its exceptions. Neither
 * knows sockets, so both can be tested without them. {@link dev.varve.server.http.SocketServer}
 * connects them to the network through Jetty, which only this package may use.
 */
@NullMarked
package dev.varve.server.http;

import org.jspecify.annotations.NullMarked;

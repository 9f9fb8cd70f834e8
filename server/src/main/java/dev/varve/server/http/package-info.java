/**
 * HTTP as this server sees it: routes, exchanges with blocking streams, limits.
 *
 * <p>{@link dev.varve.server.http.Exchange} is what a handler works on and all that it sees; {@link
 * dev.varve.server.http.Dispatcher} finds the handler, lets it in and answers what it throws.
 * Neither knows a socket, so that both can be tried without one. {@link
 * dev.varve.server.http.SocketServer} and what stands behind it bring them to the network by Jetty,
 * which nobody outside of this package may touch.
 */
@NullMarked
package dev.varve.server.http;

import org.jspecify.annotations.NullMarked;

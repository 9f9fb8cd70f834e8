/**
 * HTTP and line protocols, each a thin translation into calls of engine and query.
 *
 * <p>The server holds no logic that a caller of the library would miss. Only {@code
 * dev.varve.server.http} may touch Jetty; every protocol has a package of its own and sees requests
 * and responses of ours, which makes it testable without a socket.
 */
@NullMarked
package dev.varve.server;

import org.jspecify.annotations.NullMarked;

/**
 * HTTP and line protocols, each a thin translation into calls of the engine and the query module.
 *
 * <p>The server has no logic that a user of the library would miss. Only {@code
 * dev.varve.server.http} may use Jetty. Each protocol has its own package and sees only Varve's
 * requests and responses, so it can be tested without a socket.
 */
@NullMarked
package dev.varve.server;

import org.jspecify.annotations.NullMarked;

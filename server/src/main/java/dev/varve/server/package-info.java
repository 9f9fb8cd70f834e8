/**
 * HTTP and line protocols, each a thin translation into calls of the engine and the query module.
 *
 * <p>Code that several languages share is in the engine and the query module. A dialect has only
 * the features of its original, such as roll-ups of KairosDB or aggregations of Heroic. Only {@code
 * dev.varve.server.http} may use Jetty. Each protocol has its own package and sees only Varve's
 * requests and responses, so it can be tested without a socket.
 */
@NullMarked
package dev.varve.server;

import org.jspecify.annotations.NullMarked;

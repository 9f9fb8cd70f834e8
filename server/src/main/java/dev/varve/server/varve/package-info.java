/**
 * Varve's own API: writing points, and queries with the parameters of the command line. The
 * commands {@code put}, {@code import}, {@code query} and {@code explain} send their requests to
 * it; without a server they do the same work in process.
 */
@NullMarked
package dev.varve.server.varve;

import org.jspecify.annotations.NullMarked;

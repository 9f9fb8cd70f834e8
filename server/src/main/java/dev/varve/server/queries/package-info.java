/**
 * Queries under way, as whoever runs the server sees them: listed and ended over HTTP, and those
 * that took long in a log.
 *
 * <p>What a query may use and how it is stopped stands in {@code dev.varve.query.running}; no
 * dialect is known here.
 */
@NullMarked
package dev.varve.server.queries;

import org.jspecify.annotations.NullMarked;

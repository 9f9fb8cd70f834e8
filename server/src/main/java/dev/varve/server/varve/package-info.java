/**
 * Varve's own API: points in, and queries in the words of the command line. What the commands
 * {@code put}, {@code import}, {@code query} and {@code explain} ask of a server stands here, and
 * it is the same that they do without one.
 */
@NullMarked
package dev.varve.server.varve;

import org.jspecify.annotations.NullMarked;

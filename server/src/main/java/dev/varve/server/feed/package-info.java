/**
 * Connections that bring samples and are answered nothing, such as Graphite's lines: how they are
 * read within bounds, written, counted and complained of.
 *
 * <p>What the bytes mean is a format's business; here is what all such protocols share. Nobody is
 * there to be told of an error, so that everything lost is counted, and named in the log now and
 * then.
 */
@NullMarked
package dev.varve.server.feed;

import org.jspecify.annotations.NullMarked;

/**
 * Connections that send samples and receive no answer, such as Graphite's lines.
 *
 * <p>This package has what all such protocols share: it reads them within bounds, writes the
 * samples and counts what is lost. Because no client sees an error, losses are also logged, at a
 * limited rate. The formats decode the bytes.
 */
@NullMarked
package dev.varve.server.feed;

import org.jspecify.annotations.NullMarked;

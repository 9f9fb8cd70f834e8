/**
 * The read path: from a request to runs of samples.
 *
 * <p>Here matching series are planned period by period, rows are read strand by strand, decoded,
 * put in order and thinned to the versions that were asked for. Memory is bounded by rows and
 * pages, never by how much is read.
 */
@NullMarked
package dev.varve.engine.read;

import org.jspecify.annotations.NullMarked;

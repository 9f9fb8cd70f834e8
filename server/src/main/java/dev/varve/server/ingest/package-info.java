/**
 * The intake of samples, shared by all protocols: it converts what a protocol has read to a batch
 * of the dataset, writes it, and counts it.
 *
 * <p>It converts units of time, resource identifiers among tags, and integers to doubles. It knows
 * no wire format.
 */
@NullMarked
package dev.varve.server.ingest;

import org.jspecify.annotations.NullMarked;

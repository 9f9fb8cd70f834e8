/**
 * The SPI of a store: tables of cells, reads as data, writes as batches of row mutations.
 *
 * <p>A store knows bytes only. It has never heard of a metric, a tag or a bucket, and no layout may
 * shine through here: that is what lets one layout run on every store, and one store carry every
 * layout.
 */
@NullMarked
package dev.varve.store;

import org.jspecify.annotations.NullMarked;

/**
 * The SPI for stores: tables of cells, reads as data, writes as batches of row mutations.
 *
 * <p>A store handles bytes only. It knows nothing of metrics, tags or buckets, and no layout may
 * leak into this package: that lets every layout run on every store.
 */
@NullMarked
package dev.varve.store;

import org.jspecify.annotations.NullMarked;

/**
 * The Bigtable store: implements the store SPI with Bigtable's own client, and nothing else. It
 * fulfils the store contract, and declares what it cannot do.
 */
@org.jspecify.annotations.NullMarked
package dev.varve.store.bigtable;

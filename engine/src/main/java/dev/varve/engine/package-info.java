/**
 * Datasets: the write path, the catalog of series, reads as runs and their merging, retention and
 * deletes.
 *
 * <p>The engine alone holds state and threads; what is below is handed its times and sequence
 * numbers from here, and what is above asks here for runs. It reaches a store through the SPI and a
 * layout through its interface, never through the class of one of them.
 */
@NullMarked
package dev.varve.engine;

import org.jspecify.annotations.NullMarked;

/**
 * Datasets: the write path, the catalog of series, reads as runs and their merging, retention and
 * deletes.
 *
 * <p>Only the engine has state and threads. It supplies times and stamps to the layers below and
 * runs to the layers above. It accesses stores through the SPI and layouts through their interface,
 * never through their classes.
 */
@NullMarked
package dev.varve.engine;

import org.jspecify.annotations.NullMarked;

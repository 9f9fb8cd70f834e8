/**
 * The write path: from a batch of samples to durable cells.
 *
 * <p>A batch is admitted, split by period, encoded, and applied in a fixed order: the cells that
 * make data findable precede the data. Layouts define the encoding.
 */
@NullMarked
package dev.varve.engine.write;

import org.jspecify.annotations.NullMarked;

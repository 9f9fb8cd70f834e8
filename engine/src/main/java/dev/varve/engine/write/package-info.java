/**
 * The write path: from a batch of samples to cells that are durable.
 *
 * <p>Here a batch is admitted, cut by period, encoded, and applied in the order on which everything
 * else relies: what finds the data before the data. How a layout encodes is its own affair.
 */
@NullMarked
package dev.varve.engine.write;

import org.jspecify.annotations.NullMarked;

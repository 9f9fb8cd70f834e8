/**
 * {@code varve migrate}: copies a dataset, unit by unit, without replacing what its target has.
 *
 * <p>A source delivers samples by metric, series and time. They are cut into small batches, and the
 * target fills each of them in. A checkpoint follows every batch.
 */
@NullMarked
package dev.varve.cli.migrate;

import org.jspecify.annotations.NullMarked;

/**
 * The conversion of a dataset's cells into blocks, beside its readers and writers. It copies the
 * samples of earlier periods into the blocks of the last period, the latest days first, and lets
 * blocks answer for the times that they have.
 */
@NullMarked
package dev.varve.engine.convert;

import org.jspecify.annotations.NullMarked;

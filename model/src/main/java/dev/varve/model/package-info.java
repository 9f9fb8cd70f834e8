/**
 * Series, tags, samples, time ranges and tag filters: the values that everything above speaks in.
 *
 * <p>These are values without behaviour of others: nothing here reads a clock, opens a file, starts
 * a thread or knows how a sample is stored. The package imports no other module, so that every
 * module may import it.
 */
@NullMarked
package dev.varve.model;

import org.jspecify.annotations.NullMarked;

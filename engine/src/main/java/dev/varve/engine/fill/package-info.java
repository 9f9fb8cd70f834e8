/**
 * Filling: writing only those samples of which a dataset does not have the instant, and comparing
 * samples with those that a dataset has.
 */
@NullMarked
package dev.varve.engine.fill;

import org.jspecify.annotations.NullMarked;

/**
 * Series, tags, samples, time ranges and tag filters: the vocabulary of all other modules.
 *
 * <p>These are plain values. Nothing here reads a clock, opens a file, starts a thread or knows how
 * a sample is stored. The package depends on no other module, so every module may depend on it.
 */
@NullMarked
package dev.varve.model;

import org.jspecify.annotations.NullMarked;

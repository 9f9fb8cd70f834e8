/**
 * Which ranges of row keys are read and written: counters above the store, their slices of time,
 * and the heat map and findings that are made of them.
 */
@NullMarked
package dev.varve.engine.heat;

import org.jspecify.annotations.NullMarked;

/**
 * The heat of ranges of row keys: counters of reads and writes above the store, their slices of
 * time, and the heat map and findings made of them.
 */
@NullMarked
package dev.varve.engine.heat;

import org.jspecify.annotations.NullMarked;

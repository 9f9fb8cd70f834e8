/**
 * What layouts make of points: the cells that a layout would write, worked out in memory and
 * without a dataset. {@code varve cells} and the console show them.
 */
@NullMarked
package dev.varve.engine.cells;

import org.jspecify.annotations.NullMarked;

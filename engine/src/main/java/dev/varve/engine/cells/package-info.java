/**
 * Previews: the cells that a layout would write for some points, computed in memory and without a
 * dataset. {@code varve cells} and the console show them.
 */
@NullMarked
package dev.varve.engine.cells;

import org.jspecify.annotations.NullMarked;

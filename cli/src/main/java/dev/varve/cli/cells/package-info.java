/**
 * {@code varve cells}: converts points to cells and cells to points, without a server or a disk.
 *
 * <p>The tables of the layout are in a memory store while the command runs. Lookups and claims of
 * the layout use it.
 */
@NullMarked
package dev.varve.cli.cells;

import org.jspecify.annotations.NullMarked;

/**
 * {@code varve cells}: points to cells and cells to points, without a server or a disk.
 *
 * <p>The tables of the layout lie in a memory store for as long as the command runs; what the
 * layout looks up or claims happens there.
 */
@NullMarked
package dev.varve.cli.cells;

import org.jspecify.annotations.NullMarked;

/**
 * What adapters of stores share: counting what a read delivers, reading options, the text in which
 * a table is written down, sums in cells.
 *
 * <p>Nothing here knows a client or does I/O; whatever belongs to one store stays with it. The rest
 * of Varve has no use for this package.
 */
@NullMarked
package dev.varve.store.adapter;

import org.jspecify.annotations.NullMarked;

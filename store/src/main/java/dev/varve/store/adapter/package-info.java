/**
 * Code shared by store adapters: sections of slices, counting delivered cells, the order of
 * mutations, reading options, the text form of tables, counter cells.
 *
 * <p>Nothing here depends on a client library or does I/O; whatever is specific to one store stays
 * with it. Only adapters use this package.
 */
@NullMarked
package dev.varve.store.adapter;

import org.jspecify.annotations.NullMarked;

/**
 * The home of a dataset: the tables that hold its identity, catalog, markers and metadata, separate
 * from the tables of its layouts.
 *
 * <p>This package defines the format of their cells, documented at each table. It does not decide
 * how they are used and knows nothing of the cells of samples.
 */
@NullMarked
package dev.varve.engine.home;

import org.jspecify.annotations.NullMarked;

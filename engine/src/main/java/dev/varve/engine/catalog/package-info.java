/**
 * The in-memory index of the series of a dataset: their labels, fields, approximate sample counts
 * and extents.
 *
 * <p>This package does not access stores. The home persists the index in cells.
 */
@NullMarked
package dev.varve.engine.catalog;

import org.jspecify.annotations.NullMarked;

/**
 * From a query language over one plan to a result.
 *
 * <p>A query never sees a cell: it asks the engine for runs and works on columns of times and
 * values. Nothing here knows a store, a layout or a wire format, so that every dialect and every
 * layout gets the same answers.
 */
@NullMarked
package dev.varve.query;

import org.jspecify.annotations.NullMarked;

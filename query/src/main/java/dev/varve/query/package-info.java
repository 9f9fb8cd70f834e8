/**
 * From a query language over one plan to a result.
 *
 * <p>{@link dev.varve.query.QueryPlan} is the plan that every language compiles to, {@link
 * dev.varve.query.Query} the way to build and run one from Java, {@link
 * dev.varve.query.SelectorParser} the first piece of a language. Operators are stages through which
 * vectors of samples are pushed, one series after the other.
 *
 * <p>A query never sees a cell: it asks the engine for runs and works on columns of times and
 * values. Nothing here knows a store, a layout or a wire format, so that every dialect and every
 * layout gets the same answers.
 */
@NullMarked
package dev.varve.query;

import org.jspecify.annotations.NullMarked;

/**
 * From a query language over a plan to a result.
 *
 * <p>{@link dev.varve.query.QueryPlan} is the plan that KairosDB's language and Varve's own compile
 * to, over samples at times of their own; PromQL has {@link dev.varve.query.promql.plan.StepPlan},
 * over one value at each step. docs/query.md says why there are two. {@link dev.varve.query.Query}
 * is the way to build and run the former from Java, {@link dev.varve.query.SelectorParser} the
 * selectors. Operators are stages through which vectors of samples are pushed, one series after the
 * other.
 *
 * <p>A query never sees a cell: it asks the engine for runs and works on columns of times and
 * values. Nothing here knows a store, a layout or a wire format, so that every dialect and every
 * layout gets the same answers.
 */
@NullMarked
package dev.varve.query;

import org.jspecify.annotations.NullMarked;

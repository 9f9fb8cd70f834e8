/**
 * Executes queries: query language to plan to result.
 *
 * <p>{@link dev.varve.query.QueryPlan} is the plan that KairosDB's language and Varve's own compile
 * to; it processes samples at their own times. PromQL has {@link
 * dev.varve.query.promql.plan.StepPlan}, with one value at each step. docs/query.md explains why
 * there are two. {@link dev.varve.query.Query} builds and runs the former from Java; {@link
 * dev.varve.query.SelectorParser} parses selectors. Operators are stages through which vectors of
 * samples are pushed, one series after another.
 *
 * <p>A query never sees cells: it reads runs from the engine and processes columns of times and
 * values. Nothing here depends on a store, layout or wire format, so every dialect and layout gets
 * the same results.
 */
@NullMarked
package dev.varve.query;

import org.jspecify.annotations.NullMarked;

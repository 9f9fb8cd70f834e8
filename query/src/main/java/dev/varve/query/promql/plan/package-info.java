/**
 * The logical plan of a PromQL query: what is read, at which times, and what is made of it, as
 * values that can be compared, rewritten and printed.
 *
 * <p>{@link dev.varve.query.promql.plan.Lowering} makes a plan of an expression and the steps for
 * which it is asked; {@link dev.varve.query.promql.plan.Optimiser} makes of it one that gives the
 * same and reads less. Nothing here reads a sample: that is done by {@code
 * dev.varve.query.promql.eval}, which runs plans.
 */
@NullMarked
package dev.varve.query.promql.plan;

import org.jspecify.annotations.NullMarked;

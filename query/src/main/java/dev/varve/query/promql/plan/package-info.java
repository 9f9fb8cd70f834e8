/**
 * The logical plan of a PromQL query: what is read, at which times, and how it is processed. Plans
 * can be compared, rewritten and printed.
 *
 * <p>{@link dev.varve.query.promql.plan.Lowering} converts an expression and its steps to a plan;
 * {@link dev.varve.query.promql.plan.Optimiser} converts that to an equivalent plan that reads
 * less. This package does not read samples; {@code dev.varve.query.promql.eval} executes plans.
 */
@NullMarked
package dev.varve.query.promql.plan;

import org.jspecify.annotations.NullMarked;

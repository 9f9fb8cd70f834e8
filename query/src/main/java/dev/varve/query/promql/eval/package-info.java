/**
 * Evaluates PromQL: an expression and a range of steps yield series of values.
 *
 * <p>{@link dev.varve.query.promql.eval.PromQuery} is the entry point. Every expression is
 * evaluated for all steps at once: a scalar is an array of numbers; an instant vector is a sequence
 * of rows, each with labels and a {@link dev.varve.query.promql.eval.Column} with a place for every
 * step. Rows are passed on as they are computed, so an aggregation over a rate never holds the
 * rates of all series. Rows that must be held count against the memory of the query.
 *
 * <p>The semantics are those of Prometheus 3.5. This package does not read cells or write JSON.
 */
@NullMarked
package dev.varve.query.promql.eval;

import org.jspecify.annotations.NullMarked;

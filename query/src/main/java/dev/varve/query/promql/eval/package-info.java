/**
 * Runs PromQL: an expression and a range of steps in, series of values out.
 *
 * <p>{@link dev.varve.query.promql.eval.PromQuery} is the way in. Every expression is worked out
 * for all steps at once: a scalar is an array of numbers, an instant vector comes as rows, one
 * after the other, each a set of labels and a {@link dev.varve.query.promql.eval.Column} with a
 * place for every step. Rows are passed on as they come, so that an aggregation over a rate never
 * holds the rates of all series; what has to be held is counted.
 *
 * <p>Semantics are those of Prometheus 3.5. Nothing here reads a cell or writes JSON.
 */
@NullMarked
package dev.varve.query.promql.eval;

import org.jspecify.annotations.NullMarked;

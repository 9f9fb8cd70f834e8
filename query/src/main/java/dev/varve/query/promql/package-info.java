/**
 * PromQL, the query language of Prometheus 3.5: text to tree and back.
 *
 * <p>{@link dev.varve.query.promql.PromQl} reads a text, checks types and gives a tree of {@link
 * dev.varve.query.promql.Expr}; {@link dev.varve.query.promql.Printer} writes a tree. Whatever is
 * wrong with a text is a {@link dev.varve.query.promql.PromQlException} with the place and, where
 * Prometheus refuses it too, Prometheus' words. Every text ends in one or the other, in time and
 * memory that grow with its length alone: its length, its nesting and the size of its patterns are
 * bounded.
 *
 * <p>Nothing here evaluates: no engine, dataset or sample is known, so that the language can be
 * used where there is none, as by a formatter or a rule file's check.
 */
@NullMarked
package dev.varve.query.promql;

import org.jspecify.annotations.NullMarked;

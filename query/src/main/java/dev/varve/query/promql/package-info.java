/**
 * PromQL, the query language of Prometheus 3.5: parsing and formatting.
 *
 * <p>{@link dev.varve.query.promql.PromQl} parses a text, checks types and returns a tree of {@link
 * dev.varve.query.promql.Expr}; {@link dev.varve.query.promql.Printer} formats a tree. Any error is
 * a {@link dev.varve.query.promql.PromQlException} with the position and, if Prometheus rejects the
 * text too, the words of Prometheus. Time and memory depend only on the length of the text; length,
 * nesting and size of patterns are bounded.
 *
 * <p>This package does not evaluate queries and does not depend on the engine or on datasets. It
 * can be used where there are none, such as in a formatter or a checker of rule files.
 */
@NullMarked
package dev.varve.query.promql;

import org.jspecify.annotations.NullMarked;

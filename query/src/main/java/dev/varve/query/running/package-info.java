/**
 * Resource use of running queries, in any query language.
 *
 * <p>{@link dev.varve.query.running.QueryUse} counts what one query reads, holds and returns,
 * enforces its limits and signals cancellation. {@link dev.varve.query.running.RunningQueries}
 * admits, lists and stops queries, and reports to a listener how they ended.
 *
 * <p>This package does not depend on any language, operator or wire format; evaluators check the
 * use that they are given.
 */
@NullMarked
package dev.varve.query.running;

import org.jspecify.annotations.NullMarked;

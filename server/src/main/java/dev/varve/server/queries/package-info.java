/**
 * Running queries for operators: a list of them, a way to end them over HTTP, and a log of slow
 * ones.
 *
 * <p>{@code dev.varve.query.running} has the limits of queries and stops them. This package knows
 * no dialect.
 */
@NullMarked
package dev.varve.server.queries;

import org.jspecify.annotations.NullMarked;

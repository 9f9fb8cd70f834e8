/**
 * The advisor: weighs the layout of a dataset against others by the queries that it answers and the
 * samples that it holds, with the planner that would plan these queries.
 */
@NullMarked
package dev.varve.engine.advice;

import org.jspecify.annotations.NullMarked;

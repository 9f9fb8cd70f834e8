/**
 * The use of a dataset: the kinds of queries that it answers, their cost, and how many series it
 * has day by day. The home keeps both.
 */
@NullMarked
package dev.varve.engine.usage;

import org.jspecify.annotations.NullMarked;

/**
 * How a dataset is used: which kinds of queries it answers and what they cost, and how many series
 * it has day by day. The home keeps both.
 */
@NullMarked
package dev.varve.engine.usage;

import org.jspecify.annotations.NullMarked;

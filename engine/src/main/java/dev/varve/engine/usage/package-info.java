/**
 * The use of a dataset: the kinds and costs of its queries, and its cardinality day by day. The
 * home stores both.
 */
@NullMarked
package dev.varve.engine.usage;

import org.jspecify.annotations.NullMarked;

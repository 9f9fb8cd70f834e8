/**
 * Deletes that are in force but not finished: the samples that they hide from reads, and the counts
 * of a removal. The read path, blocks and the jobs themselves use them.
 */
@NullMarked
package dev.varve.engine.pending;

import org.jspecify.annotations.NullMarked;

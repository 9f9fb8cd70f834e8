/**
 * Deletes that are in force and not carried out yet: what they hide from reads, and the tally of
 * what a job has removed. The read path, blocks and the jobs themselves use them.
 */
@NullMarked
package dev.varve.engine.standing;

import org.jspecify.annotations.NullMarked;

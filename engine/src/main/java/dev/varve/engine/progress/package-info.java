/** Long jobs on a dataset as callers see them: what a job has done so far, and what it did. */
@NullMarked
package dev.varve.engine.progress;

import org.jspecify.annotations.NullMarked;

/** The progress and the results of long jobs on a dataset, for callers. */
@NullMarked
package dev.varve.engine.progress;

import org.jspecify.annotations.NullMarked;

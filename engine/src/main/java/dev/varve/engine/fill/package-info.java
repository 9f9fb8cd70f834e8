/**
 * Filling: writes only samples whose instant a dataset lacks, and compares samples with those of a
 * dataset.
 */
@NullMarked
package dev.varve.engine.fill;

import org.jspecify.annotations.NullMarked;

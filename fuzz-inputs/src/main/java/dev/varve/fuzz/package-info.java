/** The test that runs the seeds and findings of fuzzing in every module with fuzz targets. */
@NullMarked
package dev.varve.fuzz;

import org.jspecify.annotations.NullMarked;

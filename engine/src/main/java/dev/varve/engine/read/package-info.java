/**
 * The read path: from a request to runs of samples.
 *
 * <p>This package plans matching series by period, reads rows by strand, decodes and orders them,
 * and selects the requested versions. Rows and pages bound its memory, regardless of how much is
 * read.
 */
@NullMarked
package dev.varve.engine.read;

import org.jspecify.annotations.NullMarked;

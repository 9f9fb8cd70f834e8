/**
 * Failures of datasets, one type for each thing that a caller may have to do: correct a request or
 * the configuration, wait, or look after the data.
 */
@NullMarked
package dev.varve.engine.error;

import org.jspecify.annotations.NullMarked;

/**
 * Requests to a dataset and their results, with runs, explanations, and guards of memory and time.
 */
@NullMarked
package dev.varve.engine.request;

import org.jspecify.annotations.NullMarked;

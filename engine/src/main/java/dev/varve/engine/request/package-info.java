/**
 * Requests to a dataset and their results: requests, runs, guards of memory and time, and
 * explanations.
 */
@NullMarked
package dev.varve.engine.request;

import org.jspecify.annotations.NullMarked;

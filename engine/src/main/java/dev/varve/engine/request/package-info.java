/**
 * What callers ask of a dataset and what they get: requests, runs, guards of memory and time, and
 * explanations.
 */
@NullMarked
package dev.varve.engine.request;

import org.jspecify.annotations.NullMarked;

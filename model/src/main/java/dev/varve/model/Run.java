package dev.varve.model;

import org.jspecify.annotations.Nullable;

/**
 * Samples of one series and kind in time order.
 *
 * @param samples in ascending time order; valid until the cursor that returned the run is advanced
 * @param precedence index of the period that delivered the run. Runs of different periods are never
 *     joined
 * @param summary replaces the samples, which are then empty; null if samples are given
 */
public record Run(Series series, Samples samples, int precedence, @Nullable Summary summary) {}

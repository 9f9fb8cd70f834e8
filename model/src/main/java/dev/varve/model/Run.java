package dev.varve.model;

import org.jspecify.annotations.Nullable;

/**
 * Samples of one series and kind in time order. If two runs of a series hold the same instant, the
 * higher precedence wins, then the higher stamp.
 *
 * @param samples in ascending time order; valid until the cursor that returned the run is advanced
 * @param precedence rank of the source: cells of a later period or companion, blocks, memory
 * @param summary replaces the samples, which are then empty; null if samples are given
 */
public record Run(Series series, Samples samples, int precedence, @Nullable Summary summary) {}

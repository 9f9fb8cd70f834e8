package dev.varve.model;

import org.jspecify.annotations.Nullable;

/**
 * Samples of one series and kind in the order of time. Where two runs of a series hold the same
 * instant, the one of higher precedence wins, then the higher stamp.
 *
 * @param samples in rising order of time; valid until the cursor that gave the run is pulled again
 * @param precedence of the source: cells of a later period or companion, blocks, memory
 * @param summary stands in place of the samples, which are empty then; null where the samples are
 *     given
 */
public record Run(Series series, Samples samples, int precedence, @Nullable Summary summary) {}

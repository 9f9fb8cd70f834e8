package dev.varve.engine.progress;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a conversion of cells into blocks.
 *
 * @param samples samples copied and compared by this run
 * @param again samples among them that were copied once more, because they were written or changed
 *     meanwhile
 * @param first the time of the earliest sample of the dataset; null if it has none
 * @param blocksFrom the first instant for which blocks answer; null if they answer for all
 * @param done whether no cell is left
 */
public record ConversionProgress(
    long samples,
    long again,
    @Nullable Instant first,
    @Nullable Instant blocksFrom,
    boolean done) {}

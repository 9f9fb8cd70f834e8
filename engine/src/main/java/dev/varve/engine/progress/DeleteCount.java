package dev.varve.engine.progress;

/**
 * The samples that a delete would hide from reads.
 *
 * @param series series with at least one such sample
 * @param samples one per series and instant, as a query returns them
 */
public record DeleteCount(long series, long samples) {}

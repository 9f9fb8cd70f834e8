package dev.varve.engine.progress;

/**
 * The samples that a delete would hide from reads.
 *
 * @param series series with at least one such sample
 * @param samples one per series, instant and kind
 */
public record DeleteCount(long series, long samples) {}

package dev.varve.model;

/**
 * What stands for all samples of a numeric run where single ones are not needed.
 *
 * @param count how many samples, at least 1
 * @param increase the sum of all rises between neighbours, a fall counted as a reset to zero, as
 *     for counters
 */
public record Summary(
    long count,
    double min,
    double max,
    double sum,
    double first,
    double last,
    long firstTime,
    long lastTime,
    double increase) {}

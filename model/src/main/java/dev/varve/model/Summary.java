package dev.varve.model;

/**
 * Aggregates of the samples of a numeric run, for queries that do not need the individual samples.
 *
 * @param count number of samples, at least 1
 * @param first the value of the earliest sample
 * @param last the value of the latest sample
 * @param firstTime the time of the earliest sample, in the unit of the run's times
 * @param lastTime the time of the latest sample, in the same unit
 * @param increase sum of all increases between neighbours; as for counters, a decrease counts as a
 *     reset to zero
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

package dev.varve.bench.compare;

/**
 * A measured number.
 *
 * @param protocol how the samples were written; for queries the state of the server, such as {@code
 *     restarted}
 * @param query name of the query; empty for figures of writing
 * @param measure what was measured, in words of a table; its unit follows a comma
 * @param value the figure, in the unit of the measure
 * @param known whether it is a figure of an earlier run of the same harness
 */
record Figure(
    String server,
    String dataset,
    String protocol,
    String query,
    String measure,
    double value,
    boolean known) {}

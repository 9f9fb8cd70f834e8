package dev.varve.server.heroic.query;

import dev.varve.server.heroic.aggregation.Session.Output;
import dev.varve.server.heroic.error.Limit;
import java.util.List;
import java.util.Set;

/**
 * The result of a query.
 *
 * @param groups its lines; their values are points, spreads or groups
 * @param limits names of the limits that cut it
 * @param samples number of samples that buckets took
 * @param errors the reasons why it is incomplete
 * @param micros the duration in microseconds
 */
record QueryResult(
    PreparedQuery query,
    List<Output> groups,
    Set<Limit> limits,
    long samples,
    List<String> errors,
    long micros) {}

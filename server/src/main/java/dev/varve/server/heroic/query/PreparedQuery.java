package dev.varve.server.heroic.query;

import dev.varve.server.heroic.aggregation.Stage;
import dev.varve.server.heroic.filter.Filter;
import dev.varve.server.heroic.series.DateRange;

/**
 * A query that is ready to run.
 *
 * @param range as it will be read and answered
 * @param distributions whether distributions are read, or points
 * @param atEnd whether buckets are named by their end
 * @param traced whether the answer says how long the query took
 * @param deterministic whether the query must be refused if its size is not known ahead
 */
public record PreparedQuery(
    Stage stage,
    DateRange range,
    Filter filter,
    boolean distributions,
    boolean atEnd,
    Limits limits,
    boolean traced,
    boolean deterministic) {}

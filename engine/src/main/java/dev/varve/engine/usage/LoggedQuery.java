package dev.varve.engine.usage;

import dev.varve.model.Selector;
import dev.varve.model.TimeRange;

/**
 * A kind of query with the summed costs of its queries.
 *
 * @param example the selector of the last such query, or of the last whose selector was short
 * @param times the range of that query, in the resolution of the dataset
 * @param since time of the first such query, in milliseconds since 1970
 * @param last time of the last one
 * @param reachMillis maximum time from the start of such a query's range to its own time, in ms
 */
public record LoggedQuery(
    QueryShape shape,
    QueryCosts costs,
    Selector example,
    TimeRange times,
    long since,
    long last,
    long reachMillis) {
  /** Returns the same kind with the queries of another server added. */
  LoggedQuery plus(LoggedQuery other) {
    LoggedQuery later = last > other.last ? this : other;
    return new LoggedQuery(
        shape,
        costs.plus(other.costs),
        later.example,
        later.times,
        Math.min(since, other.since),
        later.last,
        Math.max(reachMillis, other.reachMillis));
  }
}

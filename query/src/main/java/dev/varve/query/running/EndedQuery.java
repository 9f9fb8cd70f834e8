package dev.varve.query.running;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A query that has ended.
 *
 * @param query the query with its resource use
 * @param reason the error message sent to the client; null on success
 * @param ran running time, without the waiting time
 */
public record EndedQuery(
    RunningQuery query, Outcome outcome, @Nullable String reason, Duration waited, Duration ran) {}

package dev.varve.query.running;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A query that is over.
 *
 * @param query with what it has used
 * @param reason what was said to whoever asked; null where all went well
 * @param ran without what it waited
 */
public record EndedQuery(
    RunningQuery query, Outcome outcome, @Nullable String reason, Duration waited, Duration ran) {}

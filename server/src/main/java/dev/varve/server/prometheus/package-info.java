/**
 * Prometheus' HTTP API as a dialect.
 *
 * <p>Envelopes, field names and error types are Prometheus' own (<a
 * href="https://prometheus.io/docs/prometheus/3.5/querying/api/">API of 3.5</a>). Queries are
 * evaluated by {@code dev.varve.query}.
 */
@NullMarked
package dev.varve.server.prometheus;

import org.jspecify.annotations.NullMarked;

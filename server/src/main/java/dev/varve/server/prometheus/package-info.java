/**
 * Prometheus' HTTP API as a dialect.
 *
 * <p>Envelopes, names of fields and kinds of errors are Prometheus' own (<a
 * href="https://prometheus.io/docs/prometheus/3.5/querying/api/">API of 3.5</a>); what a query
 * means is the business of {@code dev.varve.query}.
 */
@NullMarked
package dev.varve.server.prometheus;

import org.jspecify.annotations.NullMarked;

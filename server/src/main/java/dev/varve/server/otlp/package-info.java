/**
 * OTLP, OpenTelemetry's protocol, for metrics over HTTP.
 *
 * <p>The package reads its messages in both encodings, Protocol Buffers and JSON, translates
 * metrics to Prometheus' series and writes the answers. Names and labels follow Prometheus'
 * translation, so that dashboards work with both. Traces and logs are not supported.
 */
@NullMarked
package dev.varve.server.otlp;

import org.jspecify.annotations.NullMarked;

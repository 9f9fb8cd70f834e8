/**
 * OTLP, OpenTelemetry's protocol, for metrics over HTTP.
 *
 * <p>Here are its messages in both spellings, Protocol Buffers and JSON, what its metrics become as
 * series of Prometheus, and its answers. Names and labels follow Prometheus' translation, so that
 * dashboards made for the one fit the other. Traces and logs are not known here.
 */
@NullMarked
package dev.varve.server.otlp;

import org.jspecify.annotations.NullMarked;

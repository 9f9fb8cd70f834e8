/**
 * KairosDB's HTTP API as in KairosDB 1.3.0, as far as agents and dashboards use it.
 *
 * <p>The package only translates: points are written through {@code dev.varve.server.ingest}, and
 * queries are compiled to plans of {@code dev.varve.query}. docs/api/kairosdb.md lists the
 * differences from the original.
 */
@NullMarked
package dev.varve.server.kairosdb;

import org.jspecify.annotations.NullMarked;

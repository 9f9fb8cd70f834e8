/**
 * KairosDB's HTTP API, as KairosDB 1.3.0 has it: what agents and dashboards that speak it need.
 *
 * <p>Here is translation alone: points come in through {@code dev.varve.server.ingest}, queries
 * compile to the plan of {@code dev.varve.query}. What differs from the original is listed in
 * docs/api/kairosdb.md.
 */
@NullMarked
package dev.varve.server.kairosdb;

import org.jspecify.annotations.NullMarked;

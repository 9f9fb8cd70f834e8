/**
 * Health, readiness and metrics for operators, and the loop that stores the server's own metrics in
 * itself.
 *
 * <p>Other packages update counters through listeners; no protocol knows a metric.
 */
@NullMarked
package dev.varve.server.operations;

import org.jspecify.annotations.NullMarked;

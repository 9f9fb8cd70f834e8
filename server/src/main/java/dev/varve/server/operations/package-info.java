/**
 * What whoever runs the server looks at: health, readiness, metrics, and the loop that stores the
 * server's own metrics in itself.
 *
 * <p>Counters are fed by listeners that the other packages call; no protocol knows a metric.
 */
@NullMarked
package dev.varve.server.operations;

import org.jspecify.annotations.NullMarked;

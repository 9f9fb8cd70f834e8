/**
 * Recording and alerting rules as in Prometheus 3.5: groups of expressions that are evaluated
 * periodically. Their results are written back, and alerts are raised and resolved.
 *
 * <p>A {@link dev.varve.rules.RuleGroup} defines rules; a {@link dev.varve.rules.RuleScheduler}
 * runs them. Reads and writes go through a {@link dev.varve.rules.RuleStore}, alerts to an {@link
 * dev.varve.rules.AlertSink}. This package does not depend on files, HTTP or the metrics of the
 * server.
 */
@NullMarked
package dev.varve.rules;

import org.jspecify.annotations.NullMarked;

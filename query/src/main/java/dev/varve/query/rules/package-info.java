/**
 * Recording rules and alerting rules: groups of expressions that are worked out again and again,
 * what they give written back, alerts raised and resolved, as Prometheus 3.5 does it.
 *
 * <p>A {@link dev.varve.query.rules.RuleGroup} says what is to be done, a {@link
 * dev.varve.query.rules.RuleScheduler} does it. What is read and written goes through a {@link
 * dev.varve.query.rules.RuleStore}, alerts to an {@link dev.varve.query.rules.AlertSink}; no file,
 * no HTTP and no metric of the server is known here.
 */
@NullMarked
package dev.varve.query.rules;

import org.jspecify.annotations.NullMarked;

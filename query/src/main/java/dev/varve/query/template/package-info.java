/**
 * Templates of labels and annotations of alerts: the part of Go's {@code text/template} that rules
 * of Prometheus are written in, with Prometheus' functions.
 *
 * <p>A template is parsed when its rule is read, so that what is wrong, or not supported, is said
 * then and by name. It is expanded in bounded time into a bounded text. Nothing here knows a rule
 * or a dataset: what {@code query} asks is handed in.
 *
 * <p>Sources: <a href="https://pkg.go.dev/text/template">text/template</a>, <a
 * href="https://prometheus.io/docs/prometheus/3.5/configuration/template_reference/">Prometheus'
 * template reference</a>. What Prometheus 3.5.3 made of some hundred templates is a test.
 */
@NullMarked
package dev.varve.query.template;

import org.jspecify.annotations.NullMarked;

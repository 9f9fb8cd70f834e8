/**
 * Templates of labels and annotations of alerts: the part of Go's {@code text/template} that
 * Prometheus rules use, with Prometheus' functions.
 *
 * <p>A template is parsed when its rule is loaded, so that errors and unsupported features are
 * reported by name at that time. Time and output size of an expansion are bounded. This package
 * does not depend on rules or datasets; the caller executes {@code query}.
 *
 * <p>Sources: <a href="https://pkg.go.dev/text/template">text/template</a>, <a
 * href="https://prometheus.io/docs/prometheus/3.5/configuration/template_reference/">Prometheus'
 * template reference</a>. A test compares several hundred templates with the output of Prometheus
 * 3.5.3.
 */
@NullMarked
package dev.varve.rules.template;

import org.jspecify.annotations.NullMarked;

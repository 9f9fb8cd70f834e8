/**
 * Relabelling: rules with the semantics of Prometheus' {@code relabel_config} that change or drop
 * sets of labels.
 *
 * <p>The package does not know where labels come from. Intake of points, scraping and alerting pass
 * labels in and take labels out. It reads no files: a rule reports what is wrong with it, and its
 * reader adds the place.
 */
@NullMarked
package dev.varve.server.relabel;

import org.jspecify.annotations.NullMarked;

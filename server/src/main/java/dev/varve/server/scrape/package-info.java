/**
 * Scrapes the metrics of targets, configured with Prometheus' {@code scrape_configs}, so that a
 * server alone can monitor a small site.
 *
 * <p>Naming and timing of targets, the samples that report on a scrape and the end of series follow
 * Prometheus 3.5. Targets come from the configuration and from files; there is no cloud discovery.
 */
@NullMarked
package dev.varve.server.scrape;

import org.jspecify.annotations.NullMarked;

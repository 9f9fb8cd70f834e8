/**
 * Scraping: fetching the metrics of targets again and again, by the keys of Prometheus' {@code
 * scrape_configs}, so that a server alone monitors a small site.
 *
 * <p>What a target is called, when it is asked, what is written besides its samples and when a
 * series has ended is as in Prometheus 3.5. Targets come from the configuration and from files; no
 * cloud is asked.
 */
@NullMarked
package dev.varve.server.scrape;

import org.jspecify.annotations.NullMarked;

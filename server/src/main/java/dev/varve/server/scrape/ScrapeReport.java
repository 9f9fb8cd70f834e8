package dev.varve.server.scrape;

import java.util.List;

/** What is written of each scrape besides its samples, in Prometheus' words. */
final class ScrapeReport {
  /** Whether it went well, seconds, samples exposed, samples kept, series that are new. */
  static final List<String> NAMES =
      List.of(
          "up",
          "scrape_duration_seconds",
          "scrape_samples_scraped",
          "scrape_samples_post_metric_relabeling",
          "scrape_series_added");

  private ScrapeReport() {}
}

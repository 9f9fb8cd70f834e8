package dev.varve.server.scrape;

import java.util.List;

/** The metrics that report on each scrape, as in Prometheus. */
final class ScrapeReport {
  /** Success, duration in seconds, samples exposed, samples after relabelling, new series. */
  static final List<String> NAMES =
      List.of(
          "up",
          "scrape_duration_seconds",
          "scrape_samples_scraped",
          "scrape_samples_post_metric_relabeling",
          "scrape_series_added");

  private ScrapeReport() {}
}

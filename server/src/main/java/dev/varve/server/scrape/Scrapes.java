package dev.varve.server.scrape;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The scrape jobs of a server.
 *
 * @param dataset the dataset to write to; null for the engine's default
 * @param jobs with unique names
 */
public record Scrapes(@Nullable String dataset, List<ScrapeConfig> jobs) {
  public Scrapes {
    jobs = List.copyOf(jobs);
  }
}

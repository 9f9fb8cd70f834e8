package dev.varve.server.scrape;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a server scrapes.
 *
 * @param dataset what is written to; null for the engine's default
 * @param jobs each of another name
 */
public record Scrapes(@Nullable String dataset, List<ScrapeConfig> jobs) {
  public Scrapes {
    jobs = List.copyOf(jobs);
  }
}

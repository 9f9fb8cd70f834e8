package dev.varve.server.scrape;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** The answer of {@code /api/v1/targets}, in Prometheus' format. */
public final class TargetsJson {
  /** Go's zero time in JSON. */
  private static final String NEVER = "0001-01-01T00:00:00Z";

  private TargetsJson() {}

  /**
   * Writes the targets.
   *
   * @param scraper null if nothing is scraped
   * @param state {@code active}, {@code dropped}, or anything else for both
   * @param pool the only job to show; null or empty for all
   */
  public static void write(
      @Nullable Scraper scraper, String state, @Nullable String pool, JsonGenerator json) {
    List<Scraper.Pool> pools =
        scraper == null
            ? List.of()
            : scraper.pools().stream()
                .filter(one -> pool == null || pool.isEmpty() || one.name().equals(pool))
                .toList();
    boolean active = !state.equals("dropped");
    boolean dropped = !state.equals("active");
    json.writeStartObject();
    json.writeArrayPropertyStart("activeTargets");
    if (active) {
      pools.forEach(one -> one.loops().forEach(loop -> write(loop, json)));
    }
    json.writeEndArray();
    json.writeArrayPropertyStart("droppedTargets");
    if (dropped) {
      pools.forEach(one -> one.dropped().forEach(target -> write(one.name(), target, json)));
    }
    json.writeEndArray();
    if (dropped) {
      json.writeObjectPropertyStart("droppedTargetCounts");
      pools.forEach(one -> json.writeNumberProperty(one.name(), one.dropped().size()));
      json.writeEndObject();
    } else {
      json.writeNullProperty("droppedTargetCounts");
    }
    json.writeEndObject();
  }

  private static void write(ScrapeLoop loop, JsonGenerator json) {
    Target target = loop.target();
    ScrapeLoop.Outcome last = loop.last();
    json.writeStartObject();
    labels("discoveredLabels", target.discovered(), json);
    labels("labels", target.labels(), json);
    json.writeStringProperty("scrapePool", loop.jobName());
    json.writeStringProperty("scrapeUrl", target.url().toString());
    json.writeStringProperty("globalUrl", target.url().toString());
    json.writeStringProperty("lastError", last == null ? "" : last.error());
    json.writeStringProperty("lastScrape", last == null ? NEVER : time(last.at()));
    json.writeNumberProperty("lastScrapeDuration", last == null ? 0 : seconds(last.took()));
    json.writeStringProperty(
        "health", last == null ? "unknown" : last.error().isEmpty() ? "up" : "down");
    json.writeStringProperty("scrapeInterval", Target.text(target.interval()));
    json.writeStringProperty("scrapeTimeout", Target.text(target.timeout()));
    json.writeEndObject();
  }

  private static String time(Instant at) {
    return at.toString();
  }

  private static double seconds(Duration took) {
    return took.toNanos() / 1e9;
  }

  private static void write(String pool, Target.Dropped target, JsonGenerator json) {
    json.writeStartObject();
    labels("discoveredLabels", target.discovered(), json);
    json.writeStringProperty("scrapePool", pool);
    json.writeEndObject();
  }

  private static void labels(String name, Map<String, String> labels, JsonGenerator json) {
    json.writeName(name);
    json.writeStartObject();
    labels.forEach(json::writeStringProperty);
    json.writeEndObject();
  }
}

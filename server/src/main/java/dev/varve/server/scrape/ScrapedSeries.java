package dev.varve.server.scrape;

import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.server.scrape.ScrapeConfig.Limits;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the series of one target across scrapes: the key under which each exposed series is
 * stored, and which series have ended. Not thread-safe.
 */
final class ScrapedSeries {
  private static final String EXPORTED = "exported_";

  private final ScrapeConfig job;
  private final Target target;

  /** Stored keys of the series in the last successful scrape. */
  private Map<GroupKey, Stored> known = new HashMap<>();

  private Map<GroupKey, Stored> next = new HashMap<>();

  /** Series of the last scrape that end when they disappear. */
  private Set<GroupKey> before = new HashSet<>();

  private Set<GroupKey> now = new HashSet<>();

  ScrapedSeries(ScrapeConfig job, Target target) {
    this.job = job;
    this.target = target;
  }

  /**
   * The stored form of an exposed series.
   *
   * @param key null if a rule drops the series
   * @param added whether the series is new
   */
  record Stored(@Nullable GroupKey key, boolean added) {}

  /**
   * Returns the stored form of a series.
   *
   * @throws ScrapeException if the series makes the scrape fail
   */
  Stored stored(GroupKey exposed) throws ScrapeException {
    Stored stored = known.get(exposed);
    if (stored == null) {
      stored = next.get(exposed);
    } else if (stored.added()) {
      stored = new Stored(stored.key(), false);
    }
    if (stored == null) {
      stored = new Stored(key(exposed), true);
    }
    next.put(exposed, stored);
    return stored;
  }

  /**
   * Records a series that ends when it disappears; returns false if this scrape recorded it before.
   */
  boolean note(GroupKey key) {
    return now.add(key);
  }

  /** Returns whether this scrape recorded the series. */
  boolean isNoted(GroupKey key) {
    return now.contains(key);
  }

  /**
   * Ends a scrape.
   *
   * @param good whether the scrape succeeded; otherwise all series have ended
   * @return the series of the preceding scrape that disappeared
   */
  Set<GroupKey> end(boolean good) {
    if (good) {
      known = next;
    } else {
      now.clear();
    }
    next = new HashMap<>();
    Set<GroupKey> ended = before;
    ended.removeAll(now);
    before = now;
    now = new HashSet<>();
    return ended;
  }

  private @Nullable GroupKey key(GroupKey exposed) throws ScrapeException {
    SortedMap<String, String> labels = withTarget(exposed);
    if (!job.metricRelabel().isEmpty()) {
      labels = job.metricRelabel().apply(labels);
      if (labels == null || labels.isEmpty()) {
        return null;
      }
    }
    String name = labels.get(Series.NAME_LABEL);
    if (name == null) {
      throw new ScrapeException(
          "a sample has lost its name, __name__, by metric_relabel_configs: " + labels);
    }
    check(name, labels);
    labels.remove(Series.NAME_LABEL);
    return GroupKey.of(name, Tags.of(labels));
  }

  private SortedMap<String, String> withTarget(GroupKey exposed) {
    SortedMap<String, String> labels = new TreeMap<>(exposed.tags().toMap());
    labels.put(Series.NAME_LABEL, exposed.metric());
    Map<String, String> conflicting = new HashMap<>();
    target
        .labels()
        .forEach((name, value) -> {
          String given = labels.get(name);
          if (given == null) {
            labels.put(name, value);
          } else if (!job.honorLabels()) {
            conflicting.put(name, given);
            labels.put(name, value);
          }
        });
    List<String> shortest =
        conflicting.keySet().stream()
            .sorted(
                Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()))
            .toList();
    for (String name : shortest) {
      String free = EXPORTED + name;
      while (labels.containsKey(free)) {
        free = EXPORTED + free;
      }
      labels.put(free, conflicting.getOrDefault(name, ""));
    }
    return labels;
  }

  private void check(String metric, Map<String, String> labels) throws ScrapeException {
    Limits limits = job.limits();
    if (limits.labels() > 0 && labels.size() > limits.labels()) {
      throw new ScrapeException(
          "label_limit exceeded (metric: %.50s, number of labels: %d, limit: %d)"
              .formatted(metric, labels.size(), limits.labels()));
    }
    for (Map.Entry<String, String> label : labels.entrySet()) {
      int name = label.getKey().getBytes(StandardCharsets.UTF_8).length;
      int value = label.getValue().getBytes(StandardCharsets.UTF_8).length;
      if (limits.labelName() > 0 && name > limits.labelName()) {
        throw new ScrapeException(
            "label_name_length_limit exceeded (metric: %.50s, label name: %.50s, length: %d, limit: %d)"
                .formatted(metric, label.getKey(), name, limits.labelName()));
      }
      if (limits.labelValue() > 0 && value > limits.labelValue()) {
        throw new ScrapeException(
            "label_value_length_limit exceeded (metric: %.50s, label name: %.50s, value: \"%.50s\", length: %d, limit: %d)"
                .formatted(metric, label.getKey(), label.getValue(), value, limits.labelValue()));
      }
    }
  }
}

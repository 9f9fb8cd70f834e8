package dev.varve.layout.opentsdb;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * OpenTSDB's configuration of roll-ups.
 *
 * @param aggregations the numbers of aggregators, 0 to 127, by name in lower case
 * @param intervals at least one, of which exactly one is the default
 */
public record RollupConfig(Map<String, Integer> aggregations, List<RollupInterval> intervals) {
  /** The tag that names the aggregator of a pre-aggregate. */
  public static final String AGGREGATE_TAG = "_aggregate";

  /** The value of that tag for points that are not pre-aggregates. */
  public static final String RAW = "RAW";

  private static final int NUMBER_MAX = 127;

  /**
   * Checks the configuration.
   *
   * @throws IllegalArgumentException with the reason if OpenTSDB would refuse it
   */
  public RollupConfig {
    Map<String, Integer> numbers = new TreeMap<>();
    aggregations.forEach((name, number) -> {
      if (number < 0 || number > NUMBER_MAX) {
        throw new IllegalArgumentException(
            "ID for aggregator must be between 0 and 127: %s=%d".formatted(name, number));
      }
      if (numbers.containsValue(number)) {
        throw new IllegalArgumentException(
            "Multiple mappings for the ID '%d' are not allowed.".formatted(number));
      }
      numbers.put(name.toLowerCase(Locale.ROOT), number);
    });
    if (numbers.isEmpty()) {
      throw new IllegalArgumentException(
          "Rollup config given but no aggegation ID mappings found.");
    }
    aggregations = Map.copyOf(numbers);
    intervals = List.copyOf(intervals);
    Set<String> texts = new HashSet<>();
    for (RollupInterval interval : intervals) {
      if (!texts.add(interval.text())) {
        throw new IllegalArgumentException(
            "Only one interval of each type can be configured: " + interval.text());
      }
    }
    long raw = intervals.stream().filter(RollupInterval::raw).count();
    if (raw != 1) {
      throw new IllegalArgumentException(
          raw == 0
              ? "None of the rollup intervals were marked as the \"default\"."
              : "Multiple default intervals configured. Only one is allowed.");
    }
  }

  /** Returns the default interval, that of points as they were sent. */
  public RollupInterval raw() {
    return intervals.stream().filter(RollupInterval::raw).findFirst().orElseThrow();
  }

  /** Returns an interval by its text; null if there is none. */
  public @Nullable RollupInterval interval(String text) {
    return intervals.stream().filter(one -> one.text().equals(text)).findFirst().orElse(null);
  }
}

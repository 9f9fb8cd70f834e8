package dev.varve.query.rules;

import dev.varve.query.promql.eval.PromSettings;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What holds for all groups.
 *
 * @param queryOffset how far back rules look whose group says nothing
 * @param timeout how long a rule may take, its templates included
 * @param promql of every query
 * @param outageTolerance how long ago an alert may have been pending for its time to be counted on
 *     after a restart
 * @param forGracePeriod how long such an alert waits at least until it fires
 * @param resendDelay how often an alert that goes on firing is told of
 * @param externalUrl where the server is found from outside, without a slash at the end
 * @param externalLabels what templates see as such
 */
public record RuleSettings(
    Duration queryOffset,
    Duration timeout,
    PromSettings promql,
    Duration outageTolerance,
    Duration forGracePeriod,
    Duration resendDelay,
    URI externalUrl,
    SortedMap<String, String> externalLabels) {
  /** Prometheus' own, and a URL that names no machine. */
  public static final RuleSettings DEFAULTS =
      new RuleSettings(
          Duration.ZERO,
          Duration.ofMinutes(2),
          PromSettings.DEFAULTS,
          Duration.ofHours(1),
          Duration.ofMinutes(10),
          Duration.ofMinutes(1),
          URI.create("http://localhost:4242"),
          new TreeMap<>());

  public RuleSettings {
    externalLabels = Collections.unmodifiableSortedMap(new TreeMap<>(externalLabels));
  }
}

package dev.varve.rules;

import dev.varve.query.promql.eval.PromSettings;
import java.net.URI;
import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Settings of all groups.
 *
 * @param queryOffset how far back rules look, unless their group sets its own offset
 * @param timeout maximum duration of a rule, including its templates
 * @param promql settings of every query
 * @param outageTolerance maximum outage over which the pending time of an alert is restored after a
 *     restart
 * @param forGracePeriod minimum time that a restored alert waits before it fires
 * @param resendDelay interval at which a firing alert is sent again
 * @param externalUrl external URL of the server, without a trailing slash
 * @param externalLabels the external labels that templates see
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
  /** The defaults of Prometheus, with a local URL. */
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

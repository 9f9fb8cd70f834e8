package dev.varve.server.rules;

import dev.varve.query.promql.eval.PromSettings;
import dev.varve.rules.RuleSettings;
import dev.varve.server.config.Url;
import dev.varve.server.relabel.Relabelling;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The rules that a server evaluates and the Alertmanagers that it notifies.
 *
 * @param files rule files of the default dataset: paths whose last component may contain {@code *},
 *     {@code ?} and {@code [...]}
 * @param datasets rule files of other datasets, by name
 * @param interval interval of groups that specify none
 * @param reread interval at which files are checked for changes; null for never
 * @param concurrency maximum number of rules evaluated at the same time
 * @param externalUrl address of the server as seen from outside; null for its first port
 */
public record RulesConfig(
    List<Path> files,
    Map<String, List<Path>> datasets,
    Duration interval,
    Duration queryOffset,
    Duration timeout,
    int concurrency,
    Duration outageTolerance,
    Duration forGracePeriod,
    Duration resendDelay,
    @Nullable Duration reread,
    @Nullable URI externalUrl,
    SortedMap<String, String> externalLabels,
    Alerting alerting) {
  /** No rules; otherwise Prometheus' defaults. */
  public static final RulesConfig DEFAULTS =
      new RulesConfig(
          List.of(),
          Map.of(),
          Duration.ofMinutes(1),
          RuleSettings.DEFAULTS.queryOffset(),
          RuleSettings.DEFAULTS.timeout(),
          20,
          RuleSettings.DEFAULTS.outageTolerance(),
          RuleSettings.DEFAULTS.forGracePeriod(),
          RuleSettings.DEFAULTS.resendDelay(),
          Duration.ofSeconds(30),
          null,
          new TreeMap<>(),
          Alerting.NONE);

  public RulesConfig {
    files = List.copyOf(files);
    datasets = Map.copyOf(datasets);
  }

  /**
   * Where alerts are sent.
   *
   * @param relabelling of the labels of alerts, including external labels
   * @param queue maximum number of queued alerts per Alertmanager
   */
  public record Alerting(List<Alertmanager> alertmanagers, Relabelling relabelling, int queue) {
    public static final Alerting NONE = new Alerting(List.of(), Relabelling.NONE, 10_000);

    public Alerting {
      alertmanagers = List.copyOf(alertmanagers);
    }
  }

  /**
   * An Alertmanager.
   *
   * @param url without {@code /api/v2/alerts}
   * @param timeout of a request
   * @param user for basic authentication; null for none
   * @param passwordFile file with the password, read for every request
   * @param tokenFile file with a bearer token; null for none
   */
  public record Alertmanager(
      Url url,
      Duration timeout,
      @Nullable String user,
      @Nullable Path passwordFile,
      @Nullable Path tokenFile) {
    public static final Duration TIMEOUT = Duration.ofSeconds(10);
  }

  /** Returns whether no rule files are configured. */
  public boolean isEmpty() {
    return files.isEmpty() && datasets.values().stream().allMatch(List::isEmpty);
  }

  /**
   * Returns the settings shared by all groups.
   *
   * @param firstPort address of the server if no external URL is configured
   */
  RuleSettings settings(URI firstPort) {
    URI url = externalUrl == null ? firstPort : externalUrl;
    return new RuleSettings(
        queryOffset,
        timeout,
        PromSettings.DEFAULTS,
        outageTolerance,
        forGracePeriod,
        resendDelay,
        URI.create(url.toString().replaceFirst("/+$", "")),
        externalLabels);
  }
}

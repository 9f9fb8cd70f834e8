package dev.varve.server.rules;

import dev.varve.query.promql.eval.PromSettings;
import dev.varve.query.rules.RuleSettings;
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
 * Which rules a server works out, and whom it tells of alerts.
 *
 * @param files of the default dataset: paths, whose last step may hold {@code *}, {@code ?} and
 *     {@code [...]}
 * @param datasets files of other datasets, by name
 * @param interval of groups that name none
 * @param reread how often it is looked whether files have changed; null for never
 * @param concurrency how many rules are worked out at a time
 * @param externalUrl where the server is found from outside; null for its first port
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
  /** No rules; what else there is, as Prometheus has it. */
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
   * Whom to tell of alerts.
   *
   * @param relabelling of the labels of alerts, external labels among them
   * @param queue how many alerts may wait for each Alertmanager
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
   * @param passwordFile that holds the password, and is read for every request
   * @param tokenFile that holds a bearer token; null for none
   */
  public record Alertmanager(
      Url url,
      Duration timeout,
      @Nullable String user,
      @Nullable Path passwordFile,
      @Nullable Path tokenFile) {
    public static final Duration TIMEOUT = Duration.ofSeconds(10);
  }

  /** Whether there are rules at all. */
  public boolean isEmpty() {
    return files.isEmpty() && datasets.values().stream().allMatch(List::isEmpty);
  }

  /**
   * What holds for all groups.
   *
   * @param firstPort where the server is found, unless it is said otherwise
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

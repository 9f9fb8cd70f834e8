package dev.varve.server.scrape;

import dev.varve.server.relabel.Relabelling;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of one scrape job: how to find its targets, and how to scrape them. Corresponds
 * to one {@code scrape_config} of Prometheus.
 *
 * @param interval at most 100 years
 * @param timeout at most the interval
 * @param params query parameters, each with its values
 * @param honorLabels whether labels exposed by a target take precedence over the target's own
 * @param honorTimestamps whether timestamps exposed by a target are used
 * @param trackTimestamps whether series with their own timestamps also end when they disappear
 * @param compression whether gzip is accepted
 * @param followRedirects only without credentials
 * @param fallback format of answers without a known content type; null to reject them
 * @param relabel relabelling of targets
 * @param metricRelabel relabelling of samples
 */
public record ScrapeConfig(
    String jobName,
    Duration interval,
    Duration timeout,
    String metricsPath,
    String scheme,
    Map<String, List<String>> params,
    boolean honorLabels,
    boolean honorTimestamps,
    boolean trackTimestamps,
    boolean compression,
    boolean followRedirects,
    @Nullable String fallback,
    List<TargetGroup> targets,
    List<TargetFiles> files,
    Relabelling relabel,
    Relabelling metricRelabel,
    @Nullable Credentials credentials,
    Tls tls,
    Limits limits) {
  /** Maximum scrape interval. */
  static final Duration LONGEST = Duration.ofDays(36_500);

  public ScrapeConfig {
    params = Map.copyOf(params);
    targets = List.copyOf(targets);
    files = List.copyOf(files);
  }

  /** Targets that share labels. */
  public record TargetGroup(List<String> targets, Map<String, String> labels) {
    public TargetGroup {
      targets = List.copyOf(targets);
      labels = Map.copyOf(labels);
    }
  }

  /**
   * Files that list targets, in YAML or JSON.
   *
   * @param pattern a path whose last component may contain {@code *}
   */
  public record TargetFiles(Path pattern) {}

  /** Credentials sent to a target. */
  public sealed interface Credentials {
    /**
     * A user name and a password.
     *
     * @param file file with the password; null if it is given directly
     */
    record Basic(String username, String password, @Nullable Path file) implements Credentials {
      @Override
      public String toString() {
        return "a password";
      }
    }

    /**
     * An {@code Authorization} header.
     *
     * @param type such as {@code Bearer}
     * @param file file with the credentials; null if they are given directly
     */
    record Header(String type, String credentials, @Nullable Path file) implements Credentials {
      @Override
      public String toString() {
        return "a secret";
      }
    }
  }

  /**
   * TLS trust settings.
   *
   * @param authorities certificates in PEM; null for those of the platform
   * @param insecure whether every server is trusted
   */
  public record Tls(@Nullable Path authorities, boolean insecure) {}

  /**
   * Limits of one scrape; a scrape that exceeds one fails as a whole. 0 means unlimited.
   *
   * @param samples number of samples after relabelling
   * @param labels number of labels of a sample
   * @param labelName bytes of a label name
   * @param labelValue bytes of a label value
   * @param body bytes of the decompressed answer
   */
  public record Limits(long samples, int labels, int labelName, int labelValue, long body) {}
}

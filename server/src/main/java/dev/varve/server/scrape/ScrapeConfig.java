package dev.varve.server.scrape;

import dev.varve.server.relabel.Relabelling;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the targets of one job are found and scraped; one {@code scrape_config} of Prometheus.
 *
 * @param interval at most 100 years
 * @param timeout at most the interval
 * @param params of the query, each with its values
 * @param honorLabels whether labels that a target exposes win over the target's own
 * @param honorTimestamps whether times that a target exposes count
 * @param trackTimestamps whether series with times of their own end when they are gone, too
 * @param compression whether answers may come in gzip
 * @param followRedirects where no credentials are sent
 * @param fallback how an answer is read that does not say what it is; null where that is an error
 * @param relabel of targets
 * @param metricRelabel of samples
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
  /** No target is scraped less often. */
  static final Duration LONGEST = Duration.ofDays(36_500);

  public ScrapeConfig {
    params = Map.copyOf(params);
    targets = List.copyOf(targets);
    files = List.copyOf(files);
  }

  /** Targets that have labels in common. */
  public record TargetGroup(List<String> targets, Map<String, String> labels) {
    public TargetGroup {
      targets = List.copyOf(targets);
      labels = Map.copyOf(labels);
    }
  }

  /**
   * Files that list targets, in YAML or JSON.
   *
   * @param pattern a path whose last step may hold {@code *}
   */
  public record TargetFiles(Path pattern) {}

  /** What is sent so that a target answers. */
  public sealed interface Credentials {
    /**
     * A name and a password.
     *
     * @param file holds the password; null where it is given
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
     * @param file holds the credentials; null where they are given
     */
    record Header(String type, String credentials, @Nullable Path file) implements Credentials {
      @Override
      public String toString() {
        return "a secret";
      }
    }
  }

  /**
   * Whom to trust.
   *
   * @param authorities certificates in PEM; null for those of the platform
   * @param insecure whether anybody is trusted
   */
  public record Tls(@Nullable Path authorities, boolean insecure) {}

  /**
   * What one scrape may bring; one that brings more fails as a whole. 0 for any number.
   *
   * @param samples after relabelling
   * @param labels of a sample
   * @param labelName bytes of a label's name
   * @param labelValue bytes of a label's value
   * @param body bytes of the answer, decompressed
   */
  public record Limits(long samples, int labels, int labelName, int labelValue, long body) {}
}

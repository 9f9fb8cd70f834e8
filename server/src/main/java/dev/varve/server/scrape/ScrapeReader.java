package dev.varve.server.scrape;

import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ConfigNode;
import dev.varve.server.config.ConfigReader;
import dev.varve.server.relabel.RelabelReader;
import dev.varve.server.relabel.Relabelling;
import dev.varve.server.scrape.ScrapeConfig.Credentials;
import dev.varve.server.scrape.ScrapeConfig.Limits;
import dev.varve.server.scrape.ScrapeConfig.TargetFiles;
import dev.varve.server.scrape.ScrapeConfig.TargetGroup;
import dev.varve.server.scrape.ScrapeConfig.Tls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Reads scrape configurations with Prometheus' keys (<a
 * href="https://prometheus.io/docs/prometheus/latest/configuration/configuration/">documentation</a>),
 * from a section of the server's configuration or from a file of Prometheus.
 */
public final class ScrapeReader {
  /** Formats of answers without a known content type. */
  private static final List<String> PROTOCOLS =
      List.of(
          "PrometheusText0.0.4",
          "PrometheusText1.0.0",
          "OpenMetricsText0.0.1",
          "OpenMetricsText1.0.0");

  /** Keys of {@code global} that do not concern scraping. */
  private static final List<String> NOT_OF_SCRAPING =
      List.of(
          "evaluation_interval",
          "rule_query_offset",
          "external_labels",
          "query_log_file",
          "scrape_failure_log_file",
          "keep_dropped_targets",
          "runtime");

  private static final Duration INTERVAL = Duration.ofMinutes(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final Path folder;
  private Duration interval = INTERVAL;
  private Duration timeout = TIMEOUT;
  private Limits limits = new Limits(0, 0, 0, 0, 0);

  private ScrapeReader(Path folder) {
    this.folder = folder;
  }

  /**
   * Reads the section {@code scrape}: {@code dataset}, and either {@code file}, a configuration of
   * Prometheus, or {@code global} and {@code scrape_configs} in its format.
   *
   * @param section records problems
   * @param folder base of relative paths
   * @return null if nothing is scraped
   */
  public static @Nullable Scrapes read(ConfigReader section, Path folder) {
    String dataset = section.text("dataset");
    Path file = section.path("file", folder);
    List<ScrapeConfig> jobs;
    if (file == null) {
      jobs = new ScrapeReader(folder).jobs(section);
    } else {
      jobs = List.of();
      if (section.has("global") || section.has("scrape_configs")) {
        section.problem(
            "file", "cannot be combined with 'global' or 'scrape_configs', which it contains");
      }
      try {
        jobs = ofFile(file);
      } catch (ConfigException e) {
        section.problem("file", String.valueOf(e.getMessage()));
      }
      section.below("global");
      section.list("scrape_configs");
    }
    section.refuseUnknown();
    return jobs.isEmpty() ? null : new Scrapes(dataset, jobs);
  }

  /** Reads the parts of a Prometheus configuration that concern scraping. */
  private static List<ScrapeConfig> ofFile(Path file) {
    List<String> problems = new ArrayList<>();
    ConfigReader reader = new ConfigReader(mapping(file), "", problems);
    Path parent = file.toAbsolutePath().getParent();
    List<ScrapeConfig> jobs = new ScrapeReader(parent == null ? Path.of("") : parent).jobs(reader);
    if (reader.has("scrape_config_files")) {
      reader.problem("scrape_config_files", "is not supported; move its jobs to 'scrape_configs'");
    }
    if (!problems.isEmpty()) {
      throw new ConfigException(problems);
    }
    return jobs;
  }

  private static ConfigNode.Mapping mapping(Path file) {
    try {
      if (ConfigNode.parse(Files.readString(file), file.toString(), true)
          instanceof ConfigNode.Mapping mapping) {
        return mapping;
      }
      throw new ConfigException(
          List.of(file + ": a configuration is a mapping of keys and values"));
    } catch (IOException e) {
      throw new ConfigException(List.of("cannot read '" + file + "': " + e.getMessage()));
    }
  }

  private List<ScrapeConfig> jobs(ConfigReader reader) {
    ConfigReader global = reader.below("global");
    interval = orElse(global.duration("scrape_interval"), INTERVAL);
    timeout = orElse(global.duration("scrape_timeout"), min(TIMEOUT, interval));
    limits = limits(global);
    global.passOver(NOT_OF_SCRAPING);
    global.refuseUnknown();
    List<ScrapeConfig> jobs = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (ConfigReader item : reader.list("scrape_configs")) {
      ScrapeConfig job = job(item);
      if (job != null) {
        if (!names.add(job.jobName())) {
          item.problem("job_name", "'" + job.jobName() + "' occurs twice");
        }
        jobs.add(job);
      }
    }
    return jobs;
  }

  private @Nullable ScrapeConfig job(ConfigReader item) {
    String name = item.text("job_name");
    if (name == null || name.isEmpty()) {
      item.problem("job_name", "is missing");
      name = "";
    }
    Duration every = orElse(item.duration("scrape_interval"), interval);
    Duration atMost = item.duration("scrape_timeout");
    if (every.isZero()) {
      item.problem("scrape_interval", "must be at least 1 ms");
    }
    if (every.compareTo(ScrapeConfig.LONGEST) > 0) {
      item.problem("scrape_interval", "is longer than 100 years");
    }
    if (atMost != null && atMost.compareTo(every) > 0) {
      item.problem("scrape_timeout", "is longer than scrape_interval");
    }
    Relabelling relabel = RelabelReader.read(item, "relabel_configs");
    Relabelling metricRelabel = RelabelReader.read(item, "metric_relabel_configs");
    ScrapeConfig job =
        new ScrapeConfig(
            name,
            every,
            atMost == null ? min(timeout, every) : atMost,
            item.text("metrics_path", "/metrics"),
            item.choice("scheme", List.of("http", "https"), "http"),
            params(item.below("params")),
            truth(item, "honor_labels", false),
            truth(item, "honor_timestamps", true),
            truth(item, "track_timestamps_staleness", false),
            truth(item, "enable_compression", true),
            truth(item, "follow_redirects", true),
            item.has("fallback_scrape_protocol")
                ? item.choice("fallback_scrape_protocol", PROTOCOLS, PROTOCOLS.getFirst())
                : null,
            groups(item),
            files(item),
            relabel,
            metricRelabel,
            credentials(item),
            tls(item.below("tls_config")),
            limits(item));
    item.refuseUnknown();
    return name.isEmpty() ? null : job;
  }

  private static boolean truth(ConfigReader item, String key, boolean otherwise) {
    return item.choice(key, List.of("true", "false"), Boolean.toString(otherwise)).equals("true");
  }

  private static Duration orElse(@Nullable Duration given, Duration otherwise) {
    return given == null ? otherwise : given;
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static Map<String, List<String>> params(ConfigReader params) {
    Map<String, List<String>> read = new LinkedHashMap<>();
    for (String name : params.keys()) {
      read.put(name, params.texts(name));
    }
    return read;
  }

  /** A limit of 0 falls back to the global limit. */
  private Limits limits(ConfigReader item) {
    return new Limits(
        limit(item, "sample_limit", limits.samples()),
        (int) limit(item, "label_limit", limits.labels()),
        (int) limit(item, "label_name_length_limit", limits.labelName()),
        (int) limit(item, "label_value_length_limit", limits.labelValue()),
        orElse(item.size("body_size_limit", 0), limits.body()));
  }

  private static long limit(ConfigReader item, String key, long otherwise) {
    return orElse(item.integer(key, 0, Integer.MAX_VALUE, 0), otherwise);
  }

  private static long orElse(long limit, long otherwise) {
    return limit == 0 ? otherwise : limit;
  }

  private Tls tls(ConfigReader reader) {
    Tls tls = new Tls(reader.path("ca_file", folder), truth(reader, "insecure_skip_verify", false));
    reader.refuseUnknown();
    return tls;
  }

  private @Nullable Credentials credentials(ConfigReader item) {
    Credentials basic = null;
    Credentials header = null;
    if (item.has("basic_auth")) {
      ConfigReader reader = item.below("basic_auth");
      basic =
          new Credentials.Basic(
              reader.text("username", ""),
              reader.text("password", ""),
              file(reader, "password_file", "password"));
      reader.refuseUnknown();
    } else {
      item.below("basic_auth");
    }
    if (item.has("authorization")) {
      ConfigReader reader = item.below("authorization");
      header =
          new Credentials.Header(
              reader.text("type", "Bearer"),
              reader.text("credentials", ""),
              file(reader, "credentials_file", "credentials"));
      reader.refuseUnknown();
    } else {
      item.below("authorization");
    }
    if (basic != null && header != null) {
      item.problem(
          "authorization", "cannot be combined with 'basic_auth': only one of them can be sent");
    }
    return basic == null ? header : basic;
  }

  private @Nullable Path file(ConfigReader reader, String key, String insteadOf) {
    if (reader.has(key) && reader.has(insteadOf)) {
      reader.problem(key, "cannot be combined with '" + insteadOf + "'");
    }
    return reader.path(key, folder);
  }

  private List<TargetFiles> files(ConfigReader item) {
    List<TargetFiles> files = new ArrayList<>();
    for (ConfigReader discovery : item.list("file_sd_configs")) {
      for (String pattern : discovery.texts("files")) {
        if (!pattern.matches(".*\\.(json|yml|yaml|JSON|YML|YAML)")) {
          discovery.problem("files", "'" + pattern + "' does not end with .json, .yml or .yaml");
        }
      }
      for (Path pattern : discovery.paths("files", folder)) {
        try {
          pattern.getFileSystem().getPathMatcher("glob:" + pattern.getFileName());
        } catch (PatternSyntaxException e) {
          discovery.problem(
              "files",
              "'" + pattern.getFileName() + "' is not a valid file pattern: " + e.getDescription());
        }
        files.add(new TargetFiles(pattern));
      }
      // Ignored: files are checked at a fixed interval.
      discovery.duration("refresh_interval");
      discovery.refuseUnknown();
    }
    return files;
  }

  private static List<TargetGroup> groups(ConfigReader item) {
    return groups(item.list("static_configs"));
  }

  private static List<TargetGroup> groups(List<ConfigReader> items) {
    List<TargetGroup> groups = new ArrayList<>();
    for (ConfigReader group : items) {
      List<String> targets = group.texts("targets");
      for (String target : targets) {
        if (target.contains("/")) {
          group.problem("targets", "'" + Target.shown(target) + "' is not a valid hostname");
        } else if (target.contains("@")) {
          group.problem(
              "targets", "'" + Target.shown(target) + "' has a user or a password: use basic_auth");
        }
      }
      groups.add(new TargetGroup(targets, group.texts("labels", "labels")));
      group.refuseUnknown();
    }
    return groups;
  }

  /**
   * Reads a file that lists targets.
   *
   * @throws ConfigException with all errors
   */
  static List<TargetGroup> targets(Path file) throws IOException {
    // JSON is YAML except for tabs, which YAML does not accept as whitespace. JSON has no tabs
    // elsewhere.
    String text = Files.readString(file);
    boolean json = file.toString().endsWith("json") || file.toString().endsWith("JSON");
    ConfigNode node =
        ConfigNode.parse(json ? text.replace('\t', ' ') : text, file.toString(), true);
    List<String> problems = new ArrayList<>();
    List<TargetGroup> groups = List.of();
    if (node instanceof ConfigNode.Listing list) {
      Map<String, ConfigNode> wrapped = new LinkedHashMap<>();
      wrapped.put("groups", list);
      ConfigReader reader =
          new ConfigReader(new ConfigNode.Mapping(wrapped, file.toString()), "", problems);
      groups = groups(reader.list("groups"));
    } else if (!text.isBlank()) {
      problems.add(file + ": a file of targets is a list of mappings with 'targets' and 'labels'");
    }
    if (!problems.isEmpty()) {
      throw new ConfigException(problems);
    }
    return groups;
  }
}

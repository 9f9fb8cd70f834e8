package dev.varve.server.rules;

import dev.varve.server.config.ConfigReader;
import dev.varve.server.config.Url;
import dev.varve.server.relabel.RelabelReader;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the section {@code rules} of the configuration. */
public final class RulesSection {
  private static final RulesConfig DEFAULTS = RulesConfig.DEFAULTS;

  private final ConfigReader reader;
  private final Path folder;

  private RulesSection(ConfigReader reader, Path folder) {
    this.reader = reader;
    this.folder = folder;
  }

  /**
   * Reads the section. Problems are recorded by the reader.
   *
   * @param folder base of relative paths
   */
  public static RulesConfig read(ConfigReader reader, Path folder) {
    return new RulesSection(reader, folder).read();
  }

  private RulesConfig read() {
    ConfigReader below = reader.below("datasets");
    Map<String, List<Path>> datasets = new LinkedHashMap<>();
    for (String name : below.keys()) {
      datasets.put(name, below.paths(name, folder));
    }
    Duration reread = duration("reread", Duration.ofSeconds(30));
    RulesConfig config =
        new RulesConfig(
            reader.paths("files", folder),
            datasets,
            positive("interval", DEFAULTS.interval()),
            duration("query-offset", DEFAULTS.queryOffset()),
            positive("timeout", DEFAULTS.timeout()),
            reader.integer("concurrency", 1, 10_000, DEFAULTS.concurrency()),
            duration("outage-tolerance", DEFAULTS.outageTolerance()),
            duration("for-grace-period", DEFAULTS.forGracePeriod()),
            duration("resend-delay", DEFAULTS.resendDelay()),
            reread.isZero() ? null : reread,
            externalUrl(),
            new TreeMap<>(reader.texts("external-labels", "external labels")),
            new RulesConfig.Alerting(
                alertmanagers(),
                RelabelReader.read(reader, "alert-relabel"),
                reader.integer("queue", 1, 10_000_000, 10_000)));
    reader.refuseUnknown();
    return config;
  }

  private Duration duration(String key, Duration otherwise) {
    Duration read = reader.duration(key);
    if (read != null && read.compareTo(RuleFiles.LONGEST) > 0) {
      reader.problem(key, "is longer than 100 years");
      return otherwise;
    }
    return read == null ? otherwise : read;
  }

  private Duration positive(String key, Duration otherwise) {
    Duration read = duration(key, otherwise);
    if (read.isZero()) {
      reader.problem(key, "must be greater than 0 (try 1m)");
      return otherwise;
    }
    return read;
  }

  private static @Nullable URI url(ConfigReader reader, String key) {
    String text = reader.text(key);
    if (text == null) {
      return null;
    }
    try {
      URI url = new URI(text);
      boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      if (http && url.getHost() != null) {
        return url;
      }
    } catch (URISyntaxException e) {
      // Reported below, like a URL of another scheme.
    }
    reader.problem(key, "'" + text + "' is not a URL such as http://alertmanager:9093");
    return null;
  }

  /** The external URL becomes part of every alert. */
  private @Nullable URI externalUrl() {
    URI url = url(reader, "external-url");
    if (url != null && url.getRawUserInfo() != null) {
      reader.problem(
          "external-url", "has a user or a password, which every alert would show: leave them out");
      return null;
    }
    return url;
  }

  private List<RulesConfig.Alertmanager> alertmanagers() {
    List<RulesConfig.Alertmanager> all = new ArrayList<>();
    for (ConfigReader item : reader.list("alertmanagers")) {
      URI url = url(item, "url");
      if (!item.has("url")) {
        item.problem("url", "is missing (such as http://alertmanager:9093)");
      }
      Duration timeout = item.duration("timeout");
      String user = item.text("user");
      Path password = item.path("password-file", folder);
      Path token = item.path("token-file", folder);
      if ((user == null) != (password == null)) {
        item.problem(user == null ? "user" : "password-file", "user and password-file go together");
      }
      if (token != null && user != null) {
        item.problem("token-file", "cannot be combined with user: only one of them can be sent");
      }
      if (url != null && url.getRawUserInfo() != null && (user != null || token != null)) {
        item.problem(
            "url", "has a user, and another one is configured: only one of them can be sent");
      }
      item.refuseUnknown();
      if (url != null) {
        all.add(
            new RulesConfig.Alertmanager(
                new Url(url),
                timeout == null ? RulesConfig.Alertmanager.TIMEOUT : timeout,
                user,
                password,
                token));
      }
    }
    return all;
  }
}

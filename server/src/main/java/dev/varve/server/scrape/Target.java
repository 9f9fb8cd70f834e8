package dev.varve.server.scrape;

import dev.varve.server.config.ConfigReader;
import dev.varve.server.scrape.ScrapeConfig.TargetGroup;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A scrape target: its labels and address.
 *
 * @param discovered labels before relabelling
 * @param labels labels that its samples carry
 */
record Target(
    SortedMap<String, String> discovered,
    SortedMap<String, String> labels,
    URI url,
    Duration interval,
    Duration timeout) {
  private static final String ADDRESS = "__address__";
  private static final String SCHEME = "__scheme__";
  private static final String PATH = "__metrics_path__";
  private static final String PARAM = "__param_";
  private static final String INTERVAL = "__scrape_interval__";
  private static final String TIMEOUT = "__scrape_timeout__";
  private static final String INSTANCE = "instance";

  /** A target dropped by relabelling. */
  record Dropped(SortedMap<String, String> discovered) {}

  /** The targets of a job, those dropped, and problems of invalid ones. */
  record All(List<Target> active, List<Dropped> dropped, List<String> problems) {}

  /** Relabels discovered targets. */
  static All of(ScrapeConfig job, List<TargetGroup> groups) {
    All all = new All(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (TargetGroup group : groups) {
      for (String address : group.targets()) {
        SortedMap<String, String> discovered = discovered(job, group, address);
        SortedMap<String, String> kept = job.relabel().apply(discovered);
        if (kept == null) {
          all.dropped().add(new Dropped(discovered));
          continue;
        }
        try {
          Target target = of(job, discovered, kept);
          if (all.active().stream().noneMatch(target::isSameAs)) {
            all.active().add(target);
          }
        } catch (IllegalArgumentException e) {
          all.problems().add("target '%s': %s".formatted(shown(address), e.getMessage()));
        }
      }
    }
    return all;
  }

  private static SortedMap<String, String> discovered(
      ScrapeConfig job, TargetGroup group, String address) {
    SortedMap<String, String> labels = new TreeMap<>(group.labels());
    labels.put(ADDRESS, address);
    labels.putIfAbsent("job", job.jobName());
    labels.putIfAbsent(INTERVAL, text(job.interval()));
    labels.putIfAbsent(TIMEOUT, text(job.timeout()));
    labels.putIfAbsent(PATH, job.metricsPath());
    labels.putIfAbsent(SCHEME, job.scheme());
    job.params()
        .forEach((name, values) -> {
          if (!values.isEmpty()) {
            labels.putIfAbsent(PARAM + name, values.getFirst());
          }
        });
    return labels;
  }

  private static Target of(
      ScrapeConfig job, SortedMap<String, String> discovered, SortedMap<String, String> kept) {
    String address = kept.getOrDefault(ADDRESS, "");
    if (address.isEmpty()) {
      throw new IllegalArgumentException("no address");
    }
    if (address.contains("/")) {
      throw new IllegalArgumentException("'" + shown(address) + "' is not a valid hostname");
    }
    if (address.contains("@")) {
      throw new IllegalArgumentException(
          "'" + shown(address) + "' has a user or a password: use basic_auth");
    }
    Duration interval = duration(kept, INTERVAL);
    Duration timeout = duration(kept, TIMEOUT);
    if (timeout.compareTo(interval) > 0) {
      throw new IllegalArgumentException(
          "scrape timeout cannot be greater than scrape interval (%s > %s)"
              .formatted(text(timeout), text(interval)));
    }
    SortedMap<String, String> labels = new TreeMap<>();
    kept.forEach((name, value) -> {
      if (!name.startsWith("__")) {
        labels.put(name, value);
      }
    });
    labels.putIfAbsent(INSTANCE, address);
    return new Target(discovered, labels, url(job, kept, address), interval, timeout);
  }

  /** Returns an address for messages, without user and password. */
  static String shown(String address) {
    int at = address.lastIndexOf('@');
    return at < 0 ? address : "***" + address.substring(at);
  }

  private static Duration duration(Map<String, String> labels, String label) {
    String text = labels.getOrDefault(label, "");
    Duration read = ConfigReader.parseDuration(text);
    if (read == null || read.isZero()) {
      throw new IllegalArgumentException(
          "%s is '%s', which is not a duration such as 15s".formatted(label, text));
    }
    if (read.compareTo(ScrapeConfig.LONGEST) > 0) {
      throw new IllegalArgumentException(
          "%s is '%s', which is longer than 100 years".formatted(label, text));
    }
    return read;
  }

  private static URI url(ScrapeConfig job, Map<String, String> labels, String address) {
    Map<String, List<String>> params = new TreeMap<>(job.params());
    labels.forEach((name, value) -> {
      if (name.startsWith(PARAM)) {
        List<String> values =
            new ArrayList<>(params.getOrDefault(name.substring(PARAM.length()), List.of("")));
        values.set(0, value);
        params.put(name.substring(PARAM.length()), values);
      }
    });
    StringBuilder query = new StringBuilder();
    params.forEach((name, values) ->
        values.forEach(value ->
            query
                .append(query.isEmpty() ? "?" : "&")
                .append(encoded(name))
                .append('=')
                .append(encoded(value))));
    String path = labels.getOrDefault(PATH, "");
    URI url =
        URI.create(
            labels.getOrDefault(SCHEME, "http")
                + "://"
                + address
                + (path.isEmpty() || path.startsWith("/") ? "" : "/")
                + path.replace(" ", "%20")
                + query);
    if (url.getHost() == null) {
      throw new IllegalArgumentException(
          "'" + address + "' is not a valid host name: only letters, digits, - and . are allowed");
    }
    return url;
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** Returns whether two targets have the same labels, address and timing. */
  boolean isSameAs(Target other) {
    return labels.equals(other.labels)
        && url.equals(other.url)
        && interval.equals(other.interval)
        && timeout.equals(other.timeout);
  }

  /**
   * Returns the delay from an instant to the first scrape; it spreads targets over the interval.
   */
  Duration offset(long nowNanos) {
    long every = interval.toNanos();
    // FNV-1a, 64 bits, of the labels and the URL.
    long hash = 0xcbf29ce484222325L;
    for (byte b : (labels + url.toString()).getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
    }
    long next = every - Math.floorMod(nowNanos, every) + Long.remainderUnsigned(hash, every);
    return Duration.ofNanos(next > every ? next - every : next);
  }

  /** Formats a duration as Prometheus does. */
  static String text(Duration duration) {
    long millis = duration.toMillis();
    if (millis == 0) {
      return "0s";
    }
    StringBuilder text = new StringBuilder();
    long rest = millis;
    for (Unit unit : Unit.values()) {
      boolean fits = !unit.exact || rest % unit.millis == 0;
      if (fits && rest >= unit.millis) {
        text.append(rest / unit.millis).append(unit.symbol);
        rest %= unit.millis;
      }
    }
    return text.toString();
  }

  private enum Unit {
    YEAR("y", 31_536_000_000L, true),
    WEEK("w", 604_800_000L, true),
    DAY("d", 86_400_000L, true),
    HOUR("h", 3_600_000L, false),
    MINUTE("m", 60_000L, false),
    SECOND("s", 1_000L, false),
    MILLISECOND("ms", 1L, false);

    private final String symbol;
    private final long millis;

    /** Whether the unit is used only if it divides the rest evenly. */
    private final boolean exact;

    Unit(String symbol, long millis, boolean exact) {
      this.symbol = symbol;
      this.millis = millis;
      this.exact = exact;
    }
  }
}

package dev.varve.cli.config;

import dev.varve.server.config.ConfigReader;
import dev.varve.server.http.ConnectionLimits;
import dev.varve.server.http.TrustedProxies;
import java.time.Duration;
import java.util.List;

/** Reads the limits of connections. */
final class ConnectionsSection {
  private static final int MAX = 1_000_000;

  private ConnectionsSection() {}

  /** Reads a mapping, or a number that stands for its {@code max}. */
  static ConnectionLimits read(ConfigReader reader, String key) {
    if (reader.has(key) && !reader.isMapping(key)) {
      return ConnectionLimits.ofMax(reader.integer(key, 1, MAX, ConnectionLimits.DEFAULT_MAX));
    }
    ConfigReader section = reader.below(key);
    ConnectionLimits usual =
        ConnectionLimits.ofMax(section.integer("max", 1, MAX, ConnectionLimits.DEFAULT_MAX));
    ConnectionLimits limits =
        new ConnectionLimits(
            usual.max(),
            section.integer("per-client", 1, MAX, usual.perClient()),
            section.integer("lines", 0, MAX, usual.lines()),
            section.integer("reserve", 1, 10_000, usual.reserve()),
            duration(section, "header", usual.header()),
            duration(section, "idle", usual.idle()),
            duration(section, "lines-idle", usual.linesIdle()),
            minRate(section, usual.minRate()),
            duration(section, "grace", usual.grace()),
            proxies(section));
    section.refuseUnknown();
    return limits;
  }

  private static long minRate(ConfigReader section, long usual) {
    long rate = section.size("min-rate", usual);
    if (rate < 1) {
      section.problem("min-rate", "is less than one byte a second");
      return usual;
    }
    return rate;
  }

  private static Duration duration(ConfigReader section, String key, Duration usual) {
    Duration given = section.duration(key);
    if (given != null && given.isZero()) {
      section.problem(key, "is no time at all");
    }
    return given == null ? usual : given;
  }

  private static TrustedProxies proxies(ConfigReader section) {
    List<String> networks = section.texts("trusted-proxies");
    try {
      return TrustedProxies.of(networks);
    } catch (IllegalArgumentException e) {
      section.problem("trusted-proxies", String.valueOf(e.getMessage()));
      return TrustedProxies.NONE;
    }
  }
}

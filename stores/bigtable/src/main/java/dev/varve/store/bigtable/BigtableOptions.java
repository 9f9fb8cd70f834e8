package dev.varve.store.bigtable;

import dev.varve.store.adapter.OptionReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a Bigtable store.
 *
 * @param emulator host and port of an emulator, used without TLS and credentials; null for the
 *     service
 * @param endpoint host and port of the data API; null for the service's own. {@code adminEndpoint}
 *     likewise
 * @param credentials the file with the key of a service account; null for the application default
 *     credentials
 * @param appProfile null for the instance's default
 * @param prefix the prefix of the names of tables that Varve creates
 * @param timeout total time for a call with its retries
 * @param attemptTimeout time for one attempt; for a read, the longest time without progress
 * @param retries maximum number of retries of a call
 * @param concurrency maximum number of concurrent write requests
 * @param readAhead maximum number of concurrent requests of a read
 * @param connections number of connections, shared by all calls
 * @param transactions whether the app profile routes to one cluster and allows transactions on
 *     single rows
 */
record BigtableOptions(
    String project,
    String instance,
    @Nullable String emulator,
    @Nullable String endpoint,
    @Nullable String adminEndpoint,
    @Nullable Path credentials,
    @Nullable String appProfile,
    String prefix,
    Duration timeout,
    Duration attemptTimeout,
    int retries,
    int concurrency,
    int readAhead,
    int connections,
    boolean transactions) {
  private static final Duration LONGEST = Duration.ofDays(1);
  private static final String NAME = "[a-zA-Z0-9][-_a-zA-Z0-9.:]*";
  private static final String ADDRESS = "[-a-zA-Z0-9._\\[\\]:]+:\\d{1,5}";

  /**
   * Reads settings.
   *
   * @throws dev.varve.store.StoreException naming every setting that is unknown, out of range,
   *     missing, or contradicts another
   */
  static BigtableOptions parse(Map<String, String> map) {
    OptionReader settings = new OptionReader(BigtableStore.KIND, map);
    String emulator =
        settings.text("emulator", ADDRESS, "a host and a port, such as localhost:8086");
    String endpoint =
        settings.text(
            "endpoint", ADDRESS, "a host and a port, such as bigtable.googleapis.com:443");
    String adminEndpoint =
        settings.text(
            "admin-endpoint",
            ADDRESS,
            "a host and a port, such as bigtableadmin.googleapis.com:443");
    String project = settings.text("project", NAME, "the id of a project");
    String instance = settings.text("instance", NAME, "the id of an instance");
    Path credentials = settings.file("credentials");
    Duration timeout = settings.duration("timeout", LONGEST, Duration.ofSeconds(60));
    Duration attemptTimeout =
        settings.duration("attempt-timeout", LONGEST, shorter(Duration.ofSeconds(20), timeout));
    refuseContradictions(settings, timeout, attemptTimeout);
    BigtableOptions options =
        new BigtableOptions(
            project == null ? "varve" : project,
            instance == null ? "varve" : instance,
            emulator,
            endpoint,
            adminEndpoint,
            credentials,
            settings.text("app-profile", NAME, "the id of an app profile"),
            prefix(settings),
            timeout,
            attemptTimeout,
            settings.number("retries", 0, 1000, 10),
            settings.number("concurrency", 1, 1000, 16),
            settings.number("read-ahead", 1, 64, 8),
            settings.number("connections", 1, 256, 4),
            settings.flag("transactions", true));
    settings.finish();
    return options;
  }

  private static String prefix(OptionReader settings) {
    return settings.text(
        "prefix",
        "[_a-zA-Z0-9][-_.a-zA-Z0-9]{0,29}",
        "1 to 30 characters of a-z A-Z 0-9 _ . - that begin with a letter, a digit or _",
        "varve-");
  }

  private static void refuseContradictions(
      OptionReader settings, Duration timeout, Duration attemptTimeout) {
    if (settings.has("emulator")) {
      for (String service : List.of("endpoint", "admin-endpoint", "credentials", "app-profile")) {
        if (settings.has(service)) {
          settings.wrong(
              "option emulator and option %s contradict each other: an emulator has none"
                  .formatted(service));
        }
      }
    } else {
      for (String needed : List.of("project", "instance")) {
        if (!settings.has(needed)) {
          settings.wrong(
              "option %s is missing (only an emulator works without it)".formatted(needed));
        }
      }
    }
    if (attemptTimeout.compareTo(timeout) > 0) {
      settings.wrong(
          "option attempt-timeout is %d ms, longer than option timeout, %d ms"
              .formatted(attemptTimeout.toMillis(), timeout.toMillis()));
    }
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  /** Returns the name of the store for messages. */
  String place() {
    return emulator == null
        ? "%s/%s".formatted(project, instance)
        : "%s/%s on the emulator at %s".formatted(project, instance, emulator);
  }
}

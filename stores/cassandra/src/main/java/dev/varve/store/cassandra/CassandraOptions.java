package dev.varve.store.cassandra;

import dev.varve.store.StoreException;
import dev.varve.store.adapter.OptionReader;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a Cassandra store.
 *
 * @param contactPoints nodes from which the others are discovered; at least one
 * @param datacenter the data center whose nodes receive requests; null for that of the contact
 *     points
 * @param keyspace the keyspace of the tables
 * @param replication the replication with which Varve creates the keyspace, as a CQL map
 * @param credentials null for none
 * @param tls null for unencrypted connections
 * @param retries how often a request without a reliable answer is repeated
 * @param requestsInFlight maximum number of concurrent requests of this store
 * @param pageCells maximum number of cells per page
 * @param partitionsInFlight how many partitions a read requests ahead
 * @param compression compression of the protocol
 * @param gcGrace how long tombstones are kept, so that every replica sees them
 * @param tableCompression the class that compresses the files of tables that Varve creates; null
 *     for none
 */
record CassandraOptions(
    List<InetSocketAddress> contactPoints,
    @Nullable String datacenter,
    String keyspace,
    String replication,
    @Nullable Credentials credentials,
    @Nullable Tls tls,
    Consistency consistency,
    Duration requestTimeout,
    Duration connectTimeout,
    int retries,
    int requestsInFlight,
    int pageCells,
    int partitionsInFlight,
    Compression compression,
    Duration gcGrace,
    @Nullable String tableCompression) {
  static final int DEFAULT_PORT = 9042;

  /** User and password. Logs must not show the password. */
  record Credentials(String user, String password) {
    @Override
    public String toString() {
      return user + " with a password";
    }
  }

  /**
   * Settings of encrypted connections.
   *
   * @param trusted a PEM file of certificates, or a key store with {@code trustedPassword}; null
   *     for the certificates that Java trusts
   * @param key a key store with the key and certificate of this client; null for none
   * @param verifyHostname whether a node's certificate must name the host of the contact point
   */
  record Tls(
      @Nullable Path trusted,
      @Nullable String trustedPassword,
      @Nullable Path key,
      @Nullable String keyPassword,
      boolean verifyHostname) {
    @Override
    public String toString() {
      return "trusted %s, key %s, names verified: %s".formatted(trusted, key, verifyHostname);
    }
  }

  /** Consistency levels by their CQL names. */
  record Consistency(String read, String write, String serial) {}

  enum Compression {
    NONE,
    LZ4
  }

  /**
   * Reads settings.
   *
   * @throws StoreException naming every setting that is unknown or out of range
   */
  static CassandraOptions parse(Map<String, String> settings) {
    OptionReader read = new OptionReader(CassandraStore.KIND, settings);
    int port = read.number("port", 1, 65_535, DEFAULT_PORT);
    List<InetSocketAddress> contactPoints = new ArrayList<>();
    for (String point :
        read.list("contact-points", "a list of hosts, separated by commas", List.of("127.0.0.1"))) {
      contactPoints.add(address(read, point, port));
    }
    CassandraOptions options =
        new CassandraOptions(
            List.copyOf(contactPoints),
            read.text("local-datacenter"),
            read.text(
                "keyspace", "[A-Za-z0-9_]{1,48}", "1 to 48 characters of a-z A-Z 0-9 _", "varve"),
            replication(read),
            credentials(read),
            tls(read),
            new Consistency(
                read.choice("read-consistency", LEVELS, "LOCAL_QUORUM"),
                read.choice("write-consistency", LEVELS, "LOCAL_QUORUM"),
                read.choice(
                    "serial-consistency", List.of("SERIAL", "LOCAL_SERIAL"), "LOCAL_SERIAL")),
            read.duration("request-timeout", Duration.ofDays(1), Duration.ofSeconds(10)),
            read.duration("connect-timeout", Duration.ofDays(1), Duration.ofSeconds(5)),
            read.number("retries", 0, 100, 3),
            read.number("requests-in-flight", 1, 32_768, 256),
            read.number("page-cells", 1, 100_000, 2000),
            read.number("partitions-in-flight", 1, 1024, 16),
            read.choice("compression", Compression.values(), Compression.NONE),
            read.duration("gc-grace", Duration.ZERO, Duration.ofDays(10_000), Duration.ofDays(10)),
            tableCompression(read));
    read.finish();
    return options;
  }

  private static final List<String> LEVELS =
      List.of("ONE", "TWO", "THREE", "QUORUM", "ALL", "LOCAL_QUORUM", "EACH_QUORUM", "LOCAL_ONE");

  private static InetSocketAddress address(OptionReader read, String point, int port) {
    int colon = point.lastIndexOf(':');
    boolean bareIp6 = colon >= 0 && point.indexOf(':') != colon && !point.contains("]");
    if (colon < 0 || bareIp6) {
      return InetSocketAddress.createUnresolved(point, port);
    }
    String number = point.substring(colon + 1);
    if (!number.matches("\\d{1,5}") || Integer.parseInt(number) > 65_535) {
      read.wrong("contact-points", point, "a host, or a host and a port as in host:9042");
      return InetSocketAddress.createUnresolved(point, port);
    }
    String host = point.substring(0, colon).replace("[", "").replace("]", "");
    return InetSocketAddress.createUnresolved(host, Integer.parseInt(number));
  }

  /** Reads a factor for a single data center, or a list of data centers with their factors. */
  private static String replication(OptionReader read) {
    String text = read.text("replication");
    if (text == null) {
      return "{'class': 'SimpleStrategy', 'replication_factor': 1}";
    }
    if (text.matches("[1-9]\\d?")) {
      return "{'class': 'SimpleStrategy', 'replication_factor': %s}".formatted(text);
    }
    if (text.matches("[\\w.-]+\\s*[=:]\\s*\\d{1,2}(\\s*,\\s*[\\w.-]+\\s*[=:]\\s*\\d{1,2})*")) {
      StringBuilder map = new StringBuilder("{'class': 'NetworkTopologyStrategy'");
      for (String part : List.of(text.split(",", -1))) {
        List<String> pair = List.of(part.split("[=:]", -1));
        map.append(", '%s': %s".formatted(pair.get(0).strip(), pair.get(1).strip()));
      }
      return map.append('}').toString();
    }
    read.wrong("replication", text, "a number such as 3, or data centers as in dc1=3,dc2=2");
    return text;
  }

  private static @Nullable Credentials credentials(OptionReader read) {
    String user = read.text("user");
    String password = read.text("password");
    if ((user == null) != (password == null)) {
      read.wrong("options user and password must be set together");
      return null;
    }
    return user == null || password == null ? null : new Credentials(user, password);
  }

  /** Options without effect on unencrypted connections. */
  private static final List<String> TLS_ALONE =
      List.of(
          "tls-trusted",
          "tls-trusted-password",
          "tls-key",
          "tls-key-password",
          "tls-verify-hostname");

  private static @Nullable Tls tls(OptionReader read) {
    Path trusted = read.file("tls-trusted");
    String trustedPassword = read.text("tls-trusted-password");
    Path key = read.file("tls-key");
    String keyPassword = read.text("tls-key-password");
    boolean verify = read.flag("tls-verify-hostname", true);
    if (!read.flag("tls", trusted != null || key != null)) {
      if (TLS_ALONE.stream().anyMatch(read::has)) {
        read.wrong(
            "options %s have no effect without tls: true".formatted(String.join(", ", TLS_ALONE)));
      }
      return null;
    }
    return new Tls(trusted, trustedPassword, key, keyPassword, verify);
  }

  private static @Nullable String tableCompression(OptionReader read) {
    return switch (read.choice(
        "table-compression", List.of("none", "lz4", "zstd", "snappy", "deflate"), "lz4")) {
      case "lz4" -> "LZ4Compressor";
      case "zstd" -> "ZstdCompressor";
      case "snappy" -> "SnappyCompressor";
      case "deflate" -> "DeflateCompressor";
      default -> null;
    };
  }
}

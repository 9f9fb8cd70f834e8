package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.config.ProgrammaticDriverConfigLoaderBuilder;
import com.datastax.oss.driver.api.core.metadata.Node;
import dev.varve.store.StoreException;
import dev.varve.store.cassandra.CassandraOptions.Compression;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Opens driver sessions with the settings of a store. */
final class Sessions {
  private Sessions() {}

  /**
   * Connects.
   *
   * @throws StoreException if no contact point accepts the connection, naming the contact points
   *     and the option to check; or if there is no such local data center, naming those that exist
   */
  static CqlSession open(CassandraOptions options) {
    // The driver's classes and resources are those of this plug-in, whatever the thread's loader
    // is.
    ClassLoader classes = Sessions.class.getClassLoader();
    CqlSessionBuilder builder =
        CqlSession.builder()
            .withClassLoader(classes)
            .withConfigLoader(configuration(options, classes))
            .addContactPoints(
                options.contactPoints().stream()
                    .map(point -> new InetSocketAddress(point.getHostString(), point.getPort()))
                    .toList());
    if (options.datacenter() != null) {
      builder.withLocalDatacenter(options.datacenter());
    }
    CassandraOptions.Credentials credentials = options.credentials();
    if (credentials != null) {
      builder.withAuthCredentials(credentials.user(), credentials.password());
    }
    if (options.tls() != null) {
      builder.withSslEngineFactory(TlsSetup.engines(options.tls()));
    }
    CqlSession session;
    try {
      session = builder.build();
    } catch (DriverException | IllegalArgumentException | IllegalStateException e) {
      throw new StoreException(
          "the cassandra store cannot connect to %s: %s"
              .formatted(
                  options.contactPoints().stream()
                      .map(point -> point.getHostString() + ":" + point.getPort())
                      .collect(Collectors.joining(", ")),
                  ConnectFailure.words(e, options)),
          e);
    }
    String missing = missingDatacenter(session, options.datacenter());
    if (missing != null) {
      session.close();
      throw new StoreException(missing);
    }
    return session;
  }

  /** Returns what is wrong with the name of a data center; null if one of its nodes is known. */
  private static @Nullable String missingDatacenter(CqlSession session, @Nullable String named) {
    Set<String> known = new TreeSet<>();
    for (Node node : session.getMetadata().getNodes().values()) {
      if (node.getDatacenter() != null) {
        known.add(node.getDatacenter());
      }
    }
    return named == null || known.contains(named)
        ? null
        : "cluster '%s' has no data center '%s' (option local-datacenter); it has %s"
            .formatted(
                session.getMetadata().getClusterName().orElse(""), named, String.join(", ", known));
  }

  private static DriverConfigLoader configuration(CassandraOptions options, ClassLoader classes) {
    ProgrammaticDriverConfigLoaderBuilder builder =
        DriverConfigLoader.programmaticBuilder(classes)
            .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, options.requestTimeout())
            .withDuration(DefaultDriverOption.CONNECTION_CONNECT_TIMEOUT, options.connectTimeout())
            .withDuration(
                DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, options.connectTimeout())
            .withDuration(DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, options.connectTimeout())
            .withString(DefaultDriverOption.REQUEST_CONSISTENCY, options.consistency().read())
            .withString(
                DefaultDriverOption.REQUEST_SERIAL_CONSISTENCY, options.consistency().serial())
            .withInt(DefaultDriverOption.REQUEST_PAGE_SIZE, options.pageCells())
            .withBoolean(DefaultDriverOption.REQUEST_DEFAULT_IDEMPOTENCE, true)
            .withClass(DefaultDriverOption.RETRY_POLICY_CLASS, NoRetries.class)
            .withString(
                DefaultDriverOption.PROTOCOL_COMPRESSION,
                options.compression() == Compression.LZ4 ? "lz4" : "none")
            .withInt(
                DefaultDriverOption.CONNECTION_MAX_REQUESTS,
                // As many reads as writes, plus the driver's own; one connection may have to carry
                // them all.
                Math.min(32_768, 2 * options.requestsInFlight() + 64))
            .withDuration(DefaultDriverOption.RECONNECTION_BASE_DELAY, Duration.ofMillis(250))
            .withDuration(DefaultDriverOption.RECONNECTION_MAX_DELAY, Duration.ofSeconds(10))
            // Building the driver's schema metadata is expensive. Requests fetches it once, and
            // only for this keyspace, whose replication shows which node to address.
            .withBoolean(DefaultDriverOption.METADATA_SCHEMA_ENABLED, false)
            .withStringList(
                DefaultDriverOption.METADATA_SCHEMA_REFRESHED_KEYSPACES,
                List.of(options.keyspace()))
            // TableCatalog queries every node itself.
            .withDuration(DefaultDriverOption.CONTROL_CONNECTION_AGREEMENT_TIMEOUT, Duration.ZERO)
            .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
            .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0);
    if (options.datacenter() == null) {
      builder.withString(
          DefaultDriverOption.LOAD_BALANCING_POLICY_CLASS, "DcInferringLoadBalancingPolicy");
    }
    return builder.build();
  }
}

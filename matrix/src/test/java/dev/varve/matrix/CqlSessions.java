package dev.varve.matrix;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Creates and inspects tables with Cassandra's own driver, without Varve's store. */
final class CqlSessions {
  /** Schema changes are slow beside other tests. */
  private static final DriverConfigLoader PATIENT =
      DriverConfigLoader.programmaticBuilder()
          .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofMinutes(1))
          .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofMinutes(1))
          .withDuration(DefaultDriverOption.METADATA_SCHEMA_REQUEST_TIMEOUT, Duration.ofMinutes(1))
          .build();

  private CqlSessions() {}

  /**
   * Opens a session.
   *
   * @param address address of a node, as {@code host:port}
   */
  static CqlSession to(String address) {
    String[] parts = address.split(":", -1);
    return CqlSession.builder()
        .addContactPoint(new InetSocketAddress(parts[0], Integer.parseInt(parts[1])))
        .withLocalDatacenter("datacenter1")
        .withConfigLoader(PATIENT)
        .build();
  }
}

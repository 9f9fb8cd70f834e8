package dev.varve.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.store.StoreException;
import dev.varve.store.cassandra.CassandraOptions.Consistency;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CassandraOptionsTest {
  @Test
  void defaults() {
    CassandraOptions options = CassandraOptions.parse(Map.of());
    assertThat(options.contactPoints()).singleElement().hasToString("127.0.0.1/<unresolved>:9042");
    assertThat(options.keyspace()).isEqualTo("varve");
    assertThat(options.consistency())
        .isEqualTo(new Consistency("LOCAL_QUORUM", "LOCAL_QUORUM", "LOCAL_SERIAL"));
    assertThat(options.replication())
        .isEqualTo("{'class': 'SimpleStrategy', 'replication_factor': 1}");
    assertThat(options.tls()).isNull();
    assertThat(options.gcGrace()).isEqualTo(Duration.ofDays(10));
    assertThat(options.tableCompression()).isEqualTo("LZ4Compressor");
  }

  @Test
  void readsHostsWithAndWithoutPorts() {
    assertThat(
            CassandraOptions.parse(Map.of("contact-points", "a, b:1, [::1]:2, ::1", "port", "7"))
                .contactPoints()
                .stream()
                .map(point -> point.getHostString() + " " + point.getPort()))
        .containsExactly("a 7", "b 1", "::1 2", "::1 7");
  }

  @Test
  void replicatesOverDataCenters() {
    assertThat(CassandraOptions.parse(Map.of("replication", "dc1=3, dc-2:2")).replication())
        .isEqualTo("{'class': 'NetworkTopologyStrategy', 'dc1': 3, 'dc-2': 2}");
    assertThat(CassandraOptions.parse(Map.of("replication", "3")).replication())
        .isEqualTo("{'class': 'SimpleStrategy', 'replication_factor': 3}");
  }

  @Test
  void saysEveryProblemAtOnce() {
    assertThatThrownBy(() ->
            CassandraOptions.parse(
                Map.of(
                    "keyspase", "k",
                    "port", "0",
                    "read-consistency", "ANY",
                    "user", "u",
                    "request-timeout", "5",
                    "replication", "'; DROP",
                    "tls-trusted", "/nowhere.pem")))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("unknown option 'keyspase' (did you mean 'keyspace'?)")
        .hasMessageContaining("option port: '0' is not a number from 1 to 65535")
        .hasMessageContaining("option read-consistency: 'ANY' is not one of ONE, TWO")
        .hasMessageContaining("options user and password must be set together")
        .hasMessageContaining("option request-timeout: '5' is not a duration such as")
        .hasMessageContaining("option replication: ''; DROP' is not a number such as 3")
        .hasMessageContaining("option tls-trusted: '/nowhere.pem' is not a readable file");
  }
}

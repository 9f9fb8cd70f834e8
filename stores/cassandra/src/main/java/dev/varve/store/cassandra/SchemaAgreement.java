package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits until the nodes know of a schema change. */
final class SchemaAgreement {
  private static final Duration LOCAL_TIMEOUT = Duration.ofSeconds(60);

  /** Healthy nodes of other data centers learn of a change within seconds. */
  private static final Duration REMOTE_TIMEOUT = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(SchemaAgreement.class);

  private final Requests requests;

  /** Remote nodes that timed out. They are not waited for until they agree on a schema again. */
  private final Set<UUID> away = ConcurrentHashMap.newKeySet();

  SchemaAgreement(Requests requests) {
    this.requests = requests;
  }

  /**
   * Waits until all nodes know a change.
   *
   * @param cql the change, for messages
   * @throws StoreException if nodes of the local data center do not learn of it in time
   */
  void await(String cql) {
    long start = System.nanoTime();
    while (true) {
      Versions versions = schemaVersions();
      Set<UUID> behind = versions.behind();
      if (versions.local.size() <= 1 && away.containsAll(behind)) {
        away.retainAll(behind);
        return;
      }
      long waited = System.nanoTime() - start;
      if (versions.local.size() <= 1 && waited > REMOTE_TIMEOUT.toNanos()) {
        LOG.warn(
            "cassandra: nodes of other data centers have not learned of a schema change within {} s, because they are down or disconnected; they will learn of it when they return. Nodes: {}; change: {}",
            REMOTE_TIMEOUT.toSeconds(),
            behind,
            cql);
        away.addAll(behind);
        return;
      }
      if (waited > LOCAL_TIMEOUT.toNanos()) {
        throw new StoreException(
            "cassandra: the nodes do not agree on the schema after '%s'".formatted(cql));
      }
      requests.pause(0, requests::ensureOpen);
    }
  }

  /**
   * The schema versions of the nodes.
   *
   * @param local versions in the local data center
   * @param remote versions of nodes in other data centers, by node id
   */
  private record Versions(Set<UUID> local, Map<UUID, UUID> remote) {
    /** Returns the remote nodes whose schema differs from that of the local nodes, which agree. */
    Set<UUID> behind() {
      Set<UUID> behind = new TreeSet<>();
      remote.forEach((node, version) -> {
        if (!local.contains(version)) {
          behind.add(node);
        }
      });
      return behind;
    }
  }

  /**
   * Returns the versions of all nodes that are not known to be down. Nodes of this data center are
   * queried directly, because the nodes' view of each other may be outdated. Other nodes may be
   * unreachable from here, so their versions are read from a local node.
   */
  private Versions schemaVersions() {
    Versions versions = new Versions(new TreeSet<>(), new TreeMap<>());
    Node teller = null;
    Set<UUID> remote = new HashSet<>();
    for (Node node : requests.session().getMetadata().getNodes().values()) {
      if (node.getDistance() == NodeDistance.LOCAL && node.getState() == NodeState.UP) {
        teller = node;
        ask(
            node,
            "SELECT schema_version FROM system.local",
            row -> add(versions.local, row.getUuid(0)));
      } else if (node.getState() != NodeState.DOWN && node.getState() != NodeState.FORCED_DOWN) {
        add(remote, node.getHostId());
      }
    }
    if (teller != null && !remote.isEmpty()) {
      ask(
          teller,
          "SELECT host_id, schema_version FROM system.peers_v2",
          row -> {
            UUID node = row.getUuid(0);
            UUID version = row.getUuid(1);
            if (node != null && version != null && remote.contains(node)) {
              versions.remote.put(node, version);
            }
          });
    }
    return versions;
  }

  private static void add(Set<UUID> ids, @Nullable UUID id) {
    if (id != null) {
      ids.add(id);
    }
  }

  private void ask(Node node, String cql, Consumer<Row> rows) {
    requests
        .execute(
            SimpleStatement.newInstance(cql)
                .setNode(node)
                .setConsistencyLevel(ConsistencyLevel.ONE))
        .currentPage()
        .forEach(rows);
  }
}

package dev.varve.devstores;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Cassandra nodes on 127.0.0.1, 127.0.0.2 and so on, which form one cluster. Each node can be
 * killed and restarted individually.
 */
public final class CassandraCluster implements AutoCloseable {
  private static final int HEAP_MEGABYTES = 256;

  private final List<CassandraNode> nodes = new ArrayList<>();

  private CassandraCluster() {}

  /**
   * Starts a cluster and returns once all nodes serve clients.
   *
   * @param count number of nodes, which is also the replication factor in {@link #options}
   */
  public static CassandraCluster start(Path directory, int count) {
    CassandraCluster cluster = new CassandraCluster();
    List<Integer> ports = Ports.free("127.0.0.1", 2);
    try {
      for (int i = 0; i < count; i++) {
        String address = "127.0.0." + (i + 1);
        long token = Long.MIN_VALUE + (i + 1) * (Long.MAX_VALUE / (count + 1) * 2);
        cluster.nodes.add(
            CassandraNode.launch(
                directory.resolve("node" + (i + 1)),
                new CassandraNode.Settings(
                    address,
                    "127.0.0.1",
                    ports.get(0),
                    ports.get(1),
                    token,
                    HEAP_MEGABYTES,
                    Jvm.SMALL,
                    CassandraNode.Log.SYNCED,
                    false,
                    "")));
        if (i == 0) {
          // The other nodes use it to discover the cluster, and fail to start if it does not
          // answer.
          cluster.nodes.getFirst().awaitReady();
        }
      }
      cluster.nodes.forEach(CassandraNode::awaitReady);
      cluster.nodes.forEach(node -> cluster.awaitOthers(node, ports.get(1)));
      return cluster;
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  /** Waits until a node has seen all others. */
  private void awaitOthers(CassandraNode node, int storagePort) {
    for (CassandraNode other : nodes) {
      if (other != node) {
        node.awaitOutput("/%s:%d is now UP".formatted(other.host(), storagePort));
      }
    }
  }

  public CassandraNode node(int index) {
    return nodes.get(index);
  }

  /** Returns the options with which a store finds the cluster and keeps a replica on every node. */
  public Map<String, String> options() {
    Map<String, String> first = nodes.getFirst().options();
    return Map.of(
        "contact-points",
        String.join(",", nodes.stream().map(CassandraNode::address).toList()),
        "port",
        first.getOrDefault("port", "9042"),
        "local-datacenter",
        first.getOrDefault("local-datacenter", ""),
        "replication",
        String.valueOf(nodes.size()),
        "read-consistency",
        "QUORUM",
        "write-consistency",
        "QUORUM");
  }

  @Override
  public void close() {
    nodes.forEach(CassandraNode::kill);
  }
}

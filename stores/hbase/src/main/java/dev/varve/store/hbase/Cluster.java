package dev.varve.store.hbase;

import dev.varve.model.Bytes;
import dev.varve.store.StoreException;
import dev.varve.store.TableSpec;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.ClusterMetrics.Option;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.NamespaceExistException;
import org.apache.hadoop.hbase.NamespaceNotFoundException;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.AsyncTableBuilder;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.jspecify.annotations.Nullable;

/** The connection to HBase, and its administrative calls. */
final class Cluster implements AutoCloseable {
  private final HBaseOptions options;
  private final Calls calls;
  private final AccessAdvice admission;
  private final AsyncConnection connection;
  private final AsyncAdmin admin;

  /**
   * Connects.
   *
   * @throws StoreException if ZooKeeper or HBase cannot be reached, or the login fails
   */
  Cluster(HBaseOptions options, Calls calls) {
    this.options = options;
    this.calls = calls;
    this.admission = new AccessAdvice(options);
    this.connection = connect(options, calls);
    this.admin =
        connection
            .getAdminBuilder()
            .setOperationTimeout(options.operationTimeout().toMillis(), TimeUnit.MILLISECONDS)
            .setRpcTimeout(options.rpcTimeout().toMillis(), TimeUnit.MILLISECONDS)
            .build();
  }

  private static AsyncConnection connect(HBaseOptions options, Calls calls) {
    Configuration settings = ClientSettings.of(options);
    return calls.await(
        options.kerberos() == null
            ? ConnectionFactory.createAsyncConnection(settings)
            : ConnectionFactory.createAsyncConnection(
                settings, new Login(options.kerberos(), options.operationTimeout()).user(settings)),
        "no connection by ZooKeeper at %s, port %d, under %s"
            .formatted(options.quorum(), options.port(), options.znode()));
  }

  /** Returns the name in HBase of a foreign table. */
  TableName foreignName(String name) {
    return TableName.valueOf(options.namespace(), name);
  }

  /**
   * Returns the name in HBase of a table that Varve creates. HBase allows no names that start with
   * a dot or a dash: these, and names that start with an underscore, get an underscore as prefix.
   */
  TableName ownName(String name) {
    return foreignName(name.matches("[._-].*") ? "_" + name : name);
  }

  private static String nameOf(TableDescriptor table) {
    String name = table.getTableName().getQualifierAsString();
    boolean own = TableDescription.specOf("t", table).isPresent();
    return own && name.startsWith("_") ? name.substring(1) : name;
  }

  /** Returns a table whose calls the client retries, for reads. */
  AsyncTable<AdvancedScanResultConsumer> forReads(TableName name) {
    return timed(name).setMaxRetries(options.retries()).build();
  }

  /** Returns a table whose calls are tried once: writers must know the outcome of each attempt. */
  AsyncTable<AdvancedScanResultConsumer> forWrites(TableName name) {
    return timed(name).setMaxAttempts(1).build();
  }

  private AsyncTableBuilder<AdvancedScanResultConsumer> timed(TableName name) {
    long operation = options.operationTimeout().toMillis();
    long rpc = options.rpcTimeout().toMillis();
    return connection
        .getTableBuilder(name)
        .setOperationTimeout(operation, TimeUnit.MILLISECONDS)
        .setScanTimeout(operation, TimeUnit.MILLISECONDS)
        .setRpcTimeout(rpc, TimeUnit.MILLISECONDS)
        .setReadRpcTimeout(rpc, TimeUnit.MILLISECONDS)
        .setWriteRpcTimeout(rpc, TimeUnit.MILLISECONDS);
  }

  /** Returns the description of a table; null if there is none. */
  @Nullable TableDescriptor find(TableName name) {
    try {
      return calls.await(admin.getDescriptor(name));
    } catch (FailedCallException e) {
      if (e.failure().isMissingTable()) {
        return null;
      }
      throw admission.failed(e.failure(), "looking for table '%s'".formatted(name));
    }
  }

  /** Returns the id of the cluster. */
  String id() {
    ClusterMetrics metrics =
        await(
            admin.getClusterMetrics(EnumSet.of(ClusterMetrics.Option.CLUSTER_ID)),
            "asking the master for the id of the cluster");
    return String.valueOf(metrics.getClusterId());
  }

  /** Returns the servers' present report about the regions of a table. */
  Compactions.RegionReport regionReport(TableName name) {
    String doing = "asking servers for their regions of table '%s'".formatted(name);
    // A server's own version does not reach clients.
    ClusterMetrics cluster =
        await(
            admin.getClusterMetrics(EnumSet.of(Option.LIVE_SERVERS, Option.HBASE_VERSION)), doing);
    List<CompletableFuture<List<RegionMetrics>>> answers =
        cluster.getLiveServerMetrics().keySet().stream()
            .map(server -> admin.getRegionMetrics(server, name))
            .toList();
    List<RegionMetrics> served =
        answers.stream().flatMap(answer -> await(answer, doing).stream()).toList();
    String version = String.valueOf(cluster.getHBaseVersion());
    // The list of regions is read last: a region that has moved or was split since is missing from
    // the reports.
    return new Compactions.RegionReport(await(admin.getRegions(name), doing), served, version);
  }

  List<String> tables() {
    try {
      return calls.await(admin.listTableDescriptorsByNamespace(options.namespace())).stream()
          .map(Cluster::nameOf)
          .sorted()
          .toList();
    } catch (FailedCallException e) {
      if (e.failure().cause() instanceof NamespaceNotFoundException) {
        return List.of();
      }
      throw admission.failed(e.failure(), "listing tables");
    }
  }

  /** Creates a table, and its namespace, unless another process has created them first. */
  void create(TableDescriptor table, TableSpec spec) {
    TreeSet<Bytes> splits = new TreeSet<>(spec.upkeep().splits());
    splits.remove(Bytes.EMPTY);
    byte[][] keys = splits.stream().map(Bytes::toArray).toArray(byte[][]::new);
    String doing = "making table '%s'".formatted(table.getTableName());
    try {
      makeNamespace();
      calls.await(keys.length == 0 ? admin.createTable(table) : admin.createTable(table, keys));
    } catch (FailedCallException e) {
      if (!(e.failure().cause() instanceof TableExistsException)) {
        throw admission.failed(e.failure(), doing);
      }
    }
  }

  private void makeNamespace() throws FailedCallException {
    String name = options.namespace();
    if (name.equals(NamespaceDescriptor.DEFAULT_NAMESPACE_NAME_STR)) {
      return;
    }
    try {
      calls.await(admin.getNamespaceDescriptor(name));
    } catch (FailedCallException missing) {
      if (missing.failure().cause() instanceof AccessDeniedException) {
        // Only its administrators may look up a namespace, and it usually exists.
        return;
      }
      if (!(missing.failure().cause() instanceof NamespaceNotFoundException)) {
        throw missing;
      }
      try {
        calls.await(admin.createNamespace(NamespaceDescriptor.create(name).build()));
      } catch (FailedCallException e) {
        if (!(e.failure().cause() instanceof NamespaceExistException)) {
          throw e;
        }
      }
    }
  }

  void alter(TableDescriptor table) {
    await(admin.modifyTable(table), "altering table '%s'".formatted(table.getTableName()));
  }

  void drop(TableName name) {
    String doing = "dropping table '%s'".formatted(name);
    try {
      calls.await(admin.disableTable(name));
    } catch (FailedCallException e) {
      if (!(e.failure().cause() instanceof TableNotEnabledException)) {
        throw admission.failed(e.failure(), doing);
      }
    }
    await(admin.deleteTable(name), doing);
  }

  private <T> T await(CompletableFuture<T> answer, String doing) {
    try {
      return calls.await(answer);
    } catch (FailedCallException e) {
      throw admission.failed(e.failure(), doing);
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (IOException e) {
      throw new StoreException("hbase store: closing the connection: " + e.getMessage(), e);
    }
  }
}

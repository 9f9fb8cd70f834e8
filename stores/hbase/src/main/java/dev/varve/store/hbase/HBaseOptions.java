package dev.varve.store.hbase;

import dev.varve.store.StoreException;
import dev.varve.store.adapter.OptionReader;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an HBase store.
 *
 * @param quorum hosts of ZooKeeper, separated by commas, each with its port if that is not {@code
 *     port}
 * @param port port of ZooKeeper
 * @param znode the node under which HBase keeps its state
 * @param namespace namespace of all tables
 * @param kerberos the identities for Kerberos; null if HBase does not use it
 * @param operationTimeout timeout of a call with all of its attempts
 * @param rpcTimeout timeout of one attempt
 * @param retries number of attempts after the first
 * @param concurrency maximum number of concurrent requests of one read or write, 1 to 256
 * @param wal when a write is durable
 * @param compression compression of the families of new tables
 * @param encoding encoding of the data blocks of new tables
 * @param more settings of HBase's client and of Hadoop, by their own names
 */
record HBaseOptions(
    String quorum,
    int port,
    String znode,
    String namespace,
    @Nullable Kerberos kerberos,
    Duration operationTimeout,
    Duration rpcTimeout,
    int retries,
    int concurrency,
    Wal wal,
    Compression.Algorithm compression,
    DataBlockEncoding encoding,
    Map<String, String> more) {

  /**
   * The identities of this process and of a secure HBase.
   *
   * @param principal the principal of this process
   * @param keytab file with its key
   * @param serverPrincipal principal of masters and region servers, with {@code _HOST} for their
   *     host
   */
  record Kerberos(String principal, String keytab, String serverPrincipal) {}

  /** When a write is durable. */
  enum Wal {
    /** Once it is in the memory of as many data nodes as the log has replicas. */
    SYNC(Durability.SYNC_WAL),
    /** Once it is on their disks. */
    FSYNC(Durability.FSYNC_WAL);

    final Durability durability;

    Wal(Durability durability) {
      this.durability = durability;
    }
  }

  static final HBaseOptions DEFAULTS =
      new HBaseOptions(
          "127.0.0.1",
          2181,
          "/hbase",
          "default",
          null,
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          10,
          8,
          Wal.SYNC,
          Compression.Algorithm.NONE,
          DataBlockEncoding.FAST_DIFF,
          Map.of());

  private static final Duration LONGEST = Duration.ofDays(1);
  private static final List<String> PASSED_ON = List.of("hbase.", "hadoop.");

  /**
   * Reads settings.
   *
   * @throws StoreException naming every setting that is unknown or out of range
   */
  static HBaseOptions parse(Map<String, String> settings) {
    Map<String, String> own = new TreeMap<>(settings);
    Map<String, String> more = new TreeMap<>();
    own.keySet()
        .removeIf(name -> {
          boolean passed = PASSED_ON.stream().anyMatch(name::startsWith);
          if (passed) {
            more.put(name, settings.get(name));
          }
          return passed;
        });
    OptionReader reader = new OptionReader(HBaseStore.KIND, own);
    HBaseOptions options =
        new HBaseOptions(
            reader.text("quorum", "[^\\s,]+(,[^\\s,]+)*", "hosts, such as a,b,c", DEFAULTS.quorum),
            reader.number("port", 1, 65_535, DEFAULTS.port),
            reader.text("znode", "/[^\\s]*[^\\s/]", "a path, such as /hbase", DEFAULTS.znode),
            reader.text(
                "namespace",
                "[A-Za-z0-9_]+",
                "a name of letters, digits and _",
                DEFAULTS.namespace),
            kerberos(reader),
            reader.duration("operation-timeout", LONGEST, DEFAULTS.operationTimeout),
            reader.duration("rpc-timeout", LONGEST, DEFAULTS.rpcTimeout),
            reader.number("retries", 0, 100, DEFAULTS.retries),
            reader.number("concurrency", 1, 256, DEFAULTS.concurrency),
            reader.choice("wal", Wal.values(), DEFAULTS.wal),
            reader.choice("compression", Compression.Algorithm.values(), DEFAULTS.compression),
            reader.choice("encoding", DataBlockEncoding.values(), DEFAULTS.encoding),
            Map.copyOf(more));
    reader.finish();
    return options;
  }

  private static @Nullable Kerberos kerberos(OptionReader reader) {
    String principal = reader.text("principal");
    String keytab = reader.text("keytab");
    String server = reader.text("server-principal");
    if (principal == null && keytab == null && server == null) {
      return null;
    }
    if (principal == null || keytab == null) {
      reader.wrong("options principal and keytab must be set together");
      return null;
    }
    String realm = principal.contains("@") ? principal.substring(principal.indexOf('@')) : "";
    return new Kerberos(principal, keytab, server == null ? "hbase/_HOST" + realm : server);
  }

  /** Returns a value as {@code hbase shell} shows it. */
  static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}

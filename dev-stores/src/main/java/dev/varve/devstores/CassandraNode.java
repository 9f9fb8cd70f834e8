package dev.varve.devstores;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A node of Cassandra 5, which needs Java 17. It forms a cluster of its own unless it has another
 * seed.
 */
public final class CassandraNode extends ProcessStore {
  private static final int JAVA = 17;
  private static final Duration READY = Duration.ofMinutes(4);
  private static final Duration STOP = Duration.ofSeconds(20);

  /** When the commit log reaches the disk. */
  public enum Log {
    /** Before a write is acknowledged. */
    SYNCED("commitlog_sync: batch"),

    /**
     * Every ten seconds, as in Cassandra's default configuration: a node that is killed loses later
     * writes.
     */
    PERIODIC("commitlog_sync: periodic\ncommitlog_sync_period: 10000ms");

    private final String yaml;

    Log(String yaml) {
      this.yaml = yaml;
    }
  }

  /**
   * The settings of a node.
   *
   * @param address the loopback address where it listens
   * @param seed the address of the node from which it discovers the others; its own for the first
   *     node
   * @param clientPort port for CQL; the same for all nodes of a cluster
   * @param storagePort port for other nodes; the same for all nodes of a cluster
   * @param token its position on the ring
   * @param heapMegabytes heap size in MB; 256 is enough for a few tables, each of which takes half
   *     a megabyte
   * @param jvm its Java
   * @param commitLog when the commit log is synced
   * @param shortLived whether its tables need not survive it, which makes schema changes ten times
   *     as fast
   * @param guard lines of {@code cassandra.yaml} for access control; empty for none
   */
  public record Settings(
      String address,
      String seed,
      int clientPort,
      int storagePort,
      long token,
      int heapMegabytes,
      Jvm jvm,
      Log commitLog,
      boolean shortLived,
      String guard) {}

  private final Path directory;
  private final Settings settings;

  private CassandraNode(Path directory, Settings settings) {
    super(STOP);
    this.directory = directory;
    this.settings = settings;
    writeConfiguration();
  }

  /** Starts a single node on free ports of 127.0.0.1, if possible its previous ones. */
  public static CassandraNode alone(Path directory) {
    return alone(directory, Jvm.SMALL, Log.PERIODIC, false, "");
  }

  /** Starts a single node that never loses an acknowledged write, however it ends. */
  public static CassandraNode synced(Path directory) {
    return alone(directory, Jvm.SMALL, Log.SYNCED, false, "");
  }

  /** Starts a single node for measurements. */
  public static CassandraNode measured(Path directory) {
    return alone(directory, Jvm.FULL, Log.PERIODIC, false, "");
  }

  /** Starts a single node that is never restarted, for tests that create many tables. */
  public static CassandraNode shortLived(Path directory) {
    return alone(directory, Jvm.SMALL, Log.PERIODIC, true, "");
  }

  /**
   * Starts a single node that is never restarted and has access control: clients need TLS, a
   * certificate, a user with a password, and permissions. The only user is a superuser; its name
   * and password are {@code cassandra}.
   */
  public static CassandraNode guarded(Path directory, KeyFile own, KeyFile trusted) {
    CassandraNode node = alone(directory, Jvm.SMALL, Log.PERIODIC, true, guard(own, trusted));
    node.awaitOutput("Created default superuser role 'cassandra'");
    return node;
  }

  /** Returns lines for access control. Nothing is cached: grants take effect at once. */
  private static String guard(KeyFile own, KeyFile trusted) {
    return """
    authenticator: PasswordAuthenticator
    authorizer: CassandraAuthorizer
    role_manager: CassandraRoleManager
    roles_validity: 0ms
    permissions_validity: 0ms
    credentials_validity: 0ms
    client_encryption_options:
      enabled: true
      optional: false
      require_client_auth: true
      keystore: %s
      keystore_password: %s
      truststore: %s
      truststore_password: %s
    """
        .formatted(own.file(), own.password(), trusted.file(), trusted.password());
  }

  private static CassandraNode alone(
      Path directory, Jvm jvm, Log commitLog, boolean shortLived, String guard) {
    List<Integer> ports = Ports.kept(directory, "127.0.0.1", 2);
    return start(
        directory,
        new Settings(
            "127.0.0.1",
            "127.0.0.1",
            ports.get(0),
            ports.get(1),
            0,
            512,
            jvm,
            commitLog,
            shortLived,
            guard));
  }

  /** Starts a node and returns once it serves clients. */
  private static CassandraNode start(Path directory, Settings settings) {
    CassandraNode node = launch(directory, settings);
    node.awaitReady();
    return node;
  }

  /** Starts a node without waiting for it. */
  static CassandraNode launch(Path directory, Settings settings) {
    CassandraNode node = new CassandraNode(directory.toAbsolutePath(), settings);
    node.begin();
    return node;
  }

  @Override
  void awaitReady() {
    process().awaitOutput("Starting listening for CQL clients", READY);
  }

  @Override
  ChildProcess launch() {
    List<String> command = new ArrayList<>();
    command.add(JavaHome.java(JAVA).toString());
    command.addAll(
        settings
            .jvm()
            .options(
                List.of(
                    "-Xms64m",
                    "-Xmx" + settings.heapMegabytes() + "m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:MaxDirectMemorySize=" + settings.heapMegabytes() / 2 + "m")));
    for (String exported : List.of("jdk.internal.misc", "jdk.internal.ref", "sun.nio.ch")) {
      command.addAll(List.of("--add-exports", "java.base/" + exported + "=ALL-UNNAMED"));
    }
    for (String open : List.of("sun.nio.ch", "java.nio", "java.io", "java.lang", "java.util")) {
      command.addAll(List.of("--add-opens", "java.base/" + open + "=ALL-UNNAMED"));
    }
    command.addAll(
        List.of(
            "-Dcassandra.config=" + directory.resolve("cassandra.yaml").toUri(),
            "-Dcassandra.storagedir=" + directory.resolve("data"),
            "-Dcassandra-foreground=yes",
            "-Dcassandra.skip_wait_for_gossip_to_settle=0",
            "-Dcassandra.ring_delay_ms=1000",
            "-Dcassandra.consistent.rangemovement=false",
            "-Dcassandra.superuser_setup_delay_ms=0",
            "-Dcassandra.auth_bcrypt_gensalt_log2_rounds=4",
            // Cassandra reads its schema before the log: tables that are not flushed are lost.
            "-Dcassandra.test.flush_local_schema_changes=" + !settings.shortLived(),
            "-Djava.io.tmpdir=" + directory.resolve("tmp"),
            "-Dlogback.configurationFile=" + directory.resolve("logback.xml"),
            "-cp",
            Parts.classPath("cassandra"),
            "org.apache.cassandra.service.CassandraDaemon"));
    return ChildProcess.start(
        "Cassandra " + settings.address(), command, directory, Map.of(), log());
  }

  private void writeConfiguration() {
    try {
      Files.createDirectories(directory.resolve("tmp"));
      Files.writeString(directory.resolve("cassandra.yaml"), yaml());
      Files.writeString(directory.resolve("logback.xml"), LOGBACK);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the configuration of Cassandra", e);
    }
  }

  private static final String LOGBACK =
      """
      <configuration>
        <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
          <encoder><pattern>%d{HH:mm:ss.SSS} %-5level %logger{0} %msg%n</pattern></encoder>
        </appender>
        <root level="INFO"><appender-ref ref="out"/></root>
      </configuration>
      """;

  /** Returns a configuration for a small node that starts quickly. */
  private String yaml() {
    return """
    cluster_name: varve
    num_tokens: 1
    initial_token: %d
    partitioner: org.apache.cassandra.dht.Murmur3Partitioner
    data_file_directories: [%2$s/data]
    commitlog_directory: %2$s/commitlog
    saved_caches_directory: %2$s/saved_caches
    hints_directory: %2$s/hints
    cdc_raw_directory: %2$s/cdc
    %7$s
    endpoint_snitch: SimpleSnitch
    seed_provider:
      - class_name: org.apache.cassandra.locator.SimpleSeedProvider
        parameters: [{seeds: "%3$s:%4$d"}]
    listen_address: %5$s
    rpc_address: %5$s
    storage_port: %4$d
    native_transport_port: %6$d
    auto_bootstrap: false
    auto_snapshot: false
    hinted_handoff_enabled: false
    key_cache_size: 0MiB
    memtable_heap_space: 32MiB
    memtable_offheap_space: 32MiB
    memtable_allocation_type: unslabbed_heap_buffers
    concurrent_reads: 4
    concurrent_writes: 4
    concurrent_counter_writes: 2
    concurrent_compactors: 1
    native_transport_max_threads: 8
    batch_size_warn_threshold: 50KiB
    batch_size_fail_threshold: 500KiB
    %8$s
    """
        .formatted(
            settings.token(),
            directory.resolve("data"),
            settings.seed(),
            settings.storagePort(),
            settings.address(),
            settings.clientPort(),
            settings.commitLog().yaml,
            settings.guard());
  }

  @Override
  public String kind() {
    return "cassandra";
  }

  @Override
  public Map<String, String> options() {
    return Map.of(
        "contact-points",
        settings.address(),
        "port",
        String.valueOf(settings.clientPort()),
        "local-datacenter",
        "datacenter1",
        "replication",
        "1");
  }

  /** Returns the address for clients, as {@code host:port}. */
  public String address() {
    return settings.address() + ":" + settings.clientPort();
  }

  String host() {
    return settings.address();
  }

  /** Waits until the node has written a text since its start. */
  void awaitOutput(String text) {
    process().awaitOutput(text, READY);
  }

  public long pid() {
    return process().pid();
  }

  @Override
  public Path log() {
    return directory.resolve("cassandra.log");
  }
}

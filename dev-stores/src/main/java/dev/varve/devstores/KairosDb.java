package dev.varve.devstores;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The original KairosDB 1.3, on a keyspace of a Cassandra node or on a database of its own; it
 * needs Java 17. Its time zone is UTC.
 */
public final class KairosDb implements AutoCloseable {
  private static final int JAVA = 17;
  private static final Duration READY = Duration.ofMinutes(2);
  private static final Duration STOP = Duration.ofSeconds(10);

  private final Path directory;
  private final Jvm jvm;
  private final int port;
  private final int telnetPort;
  private ChildProcess process;

  private KairosDb(Path directory, Jvm jvm, String settings) {
    this.directory = directory;
    this.jvm = jvm;
    List<Integer> ports = Ports.free("127.0.0.1", 2);
    this.port = ports.get(0);
    this.telnetPort = ports.get(1);
    writeConfiguration(settings);
    this.process = launch();
  }

  /**
   * Starts it and returns once it answers. It creates its keyspace and tables if they are missing.
   *
   * @param cassandra a node, as {@code host:port}
   * @param tagIndexed metrics whose rows it also indexes by tag, with those tags; an empty list
   *     means all tags
   */
  public static KairosDb start(
      Path directory, String cassandra, String keyspace, Map<String, List<String>> tagIndexed) {
    return start(directory, Jvm.SMALL, cassandra, keyspace, tagIndexed);
  }

  /** The same, with a chosen Java. */
  public static KairosDb start(
      Path directory,
      Jvm jvm,
      String cassandra,
      String keyspace,
      Map<String, List<String>> tagIndexed) {
    return new KairosDb(
        directory.toAbsolutePath(),
        jvm,
        """
        service.datastore: "org.kairosdb.datastore.cassandra.CassandraModule"
        datastore.cassandra.write_cluster.cql_host_list: ["%s"]
        datastore.cassandra.write_cluster.keyspace: "%s"
        datastore.cassandra.write_cluster.tag_indexed_row_key_lookup_metrics: {%s}
        service.rollups: "org.kairosdb.rollup.RollUpModule"
        rollups.server_assignment.check_update_delay_millseconds: 10000
        """
            .formatted(cassandra, keyspace, lists(tagIndexed)));
  }

  /**
   * Starts it on H2, a database within its process, and returns once it answers. It has roll-ups.
   */
  public static KairosDb startOnH2(Path directory) {
    return startOnH2(directory, Jvm.SMALL);
  }

  /** The same, with a chosen Java. */
  public static KairosDb startOnH2(Path directory, Jvm jvm) {
    return new KairosDb(
        directory.toAbsolutePath(),
        jvm,
        """
        service.datastore: "org.kairosdb.datastore.h2.H2Module"
        datastore.h2.database_path: "h2db"
        service.rollups: "org.kairosdb.rollup.RollUpModule"
        rollups.server_assignment.check_update_delay_millseconds: 10000
        """);
  }

  private ChildProcess launch() {
    List<String> command = new ArrayList<>();
    command.add(JavaHome.java(JAVA).toString());
    command.addAll(jvm.options(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")));
    command.addAll(
        List.of(
            "-Djava.io.tmpdir=" + directory.resolve("tmp"),
            "-Duser.timezone=UTC",
            "--add-opens",
            "java.base/java.lang=ALL-UNNAMED",
            "--add-opens",
            "java.base/java.util=ALL-UNNAMED",
            "-cp",
            directory.resolve("conf/logging") + File.pathSeparator + Parts.classPath("kairosdb"),
            "org.kairosdb.core.Main",
            "-c",
            "run",
            "-p",
            "conf/kairosdb.conf"));
    ChildProcess started = ChildProcess.start("KairosDB", command, directory, Map.of(), log());
    started.awaitOutput("KairosDB service started", READY);
    return started;
  }

  private void writeConfiguration(String settings) {
    try {
      for (String folder : List.of("tmp", "webroot", "conf/logging")) {
        Files.createDirectories(directory.resolve(folder));
      }
      Files.writeString(directory.resolve("conf/logging/logback.xml"), LOGBACK);
      Files.writeString(
          directory.resolve("conf/kairosdb.conf"),
          """
          kairosdb: {
            telnetserver: { port: %d, address: "127.0.0.1" }
            jetty: { port: %d, address: "127.0.0.1", static_web_root: "webroot" }
            service.reporter: "<disabled>"
            queue_processor.class: "org.kairosdb.core.queue.MemoryQueueProcessor"
            queue_processor.min_batch_wait: 50
            queries.aggregate_stats: true
            %s
          }
          """
              .formatted(telnetPort, port, settings));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the configuration of KairosDB", e);
    }
  }

  /** Returns the fields of a JSON object; names of metrics and tags must not need escapes. */
  private static String lists(Map<String, List<String>> tagIndexed) {
    return tagIndexed.entrySet().stream()
        .map(metric ->
            metric.getValue().stream()
                .map(tag -> "\"" + tag + "\"")
                .collect(Collectors.joining(", ", "\"" + metric.getKey() + "\": [", "]")))
        .collect(Collectors.joining(", "));
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

  /** Returns the port of its HTTP API, on 127.0.0.1. */
  public int port() {
    return port;
  }

  /** Returns the port of its telnet interface, on 127.0.0.1. */
  public int telnetPort() {
    return telnetPort;
  }

  public long pid() {
    return process.pid();
  }

  public Path log() {
    return directory.resolve("kairosdb.log");
  }

  /** Restarts it, so that it drops its caches of the tables. */
  public void restart() {
    process.stop(STOP);
    process.close();
    process = launch();
  }

  @Override
  public void close() {
    process.stop(STOP);
    process.close();
  }
}

package dev.varve.devstores;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** OpenTSDB 2.4.0, which needs Java 17, on existing tables of HBase. */
public final class OpenTsdb implements AutoCloseable {
  private static final int JAVA = 17;
  private static final Duration READY = Duration.ofSeconds(60);

  private final int port;
  private final ChildProcess process;

  /**
   * Starts OpenTSDB on a free port of 127.0.0.1 and returns once it serves.
   *
   * @param directory receives its configuration, cache and log
   * @param quorum ZooKeeper of its HBase, as {@code host:port}
   * @param settings settings of {@code opentsdb.conf}, in addition to the necessary ones
   */
  public static OpenTsdb start(Path directory, String quorum, Map<String, String> settings) {
    return start(directory, Jvm.SMALL, quorum, settings);
  }

  /** The same, with a chosen Java. */
  public static OpenTsdb start(
      Path directory, Jvm jvm, String quorum, Map<String, String> settings) {
    return new OpenTsdb(directory.toAbsolutePath(), jvm, quorum, settings);
  }

  private OpenTsdb(Path directory, Jvm jvm, String quorum, Map<String, String> settings) {
    this.port = Ports.free();
    Path conf = writeConfiguration(directory, quorum, settings);
    List<String> command = new ArrayList<>();
    command.add(JavaHome.java(JAVA).toString());
    command.addAll(
        jvm.options(List.of("-Xms64m", "-Xmx400m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")));
    command.addAll(
        List.of(
            "-cp",
            conf.getParent() + File.pathSeparator + Parts.classPath("opentsdb"),
            "net.opentsdb.tools.TSDMain",
            "--config=" + conf));
    this.process =
        ChildProcess.start(
            "OpenTSDB", command, directory, Map.of(), directory.resolve("opentsdb.log"));
    process.awaitOutput("Ready to serve on", READY);
  }

  private Path writeConfiguration(Path directory, String quorum, Map<String, String> settings) {
    try {
      Path conf = Files.createDirectories(directory.resolve("conf"));
      Path cache = Files.createDirectories(directory.resolve("cache"));
      Map<String, String> all = new TreeMap<>();
      all.put("tsd.network.port", String.valueOf(port));
      all.put("tsd.network.bind", "127.0.0.1");
      all.put("tsd.http.staticroot", cache.toString());
      all.put("tsd.http.cachedir", cache.toString());
      all.put("tsd.http.request.enable_chunked", "true");
      all.put("tsd.http.request.max_chunk", String.valueOf(16 << 20));
      all.put("tsd.core.auto_create_metrics", "true");
      all.put("tsd.core.timezone", "UTC");
      all.put("tsd.storage.hbase.zk_quorum", quorum);
      all.put("tsd.storage.hbase.zk_basedir", "/hbase");
      all.putAll(settings);
      Files.writeString(conf.resolve("logback.xml"), LOGBACK);
      return Files.writeString(
          conf.resolve("opentsdb.conf"),
          all.entrySet().stream()
              .map(setting -> setting.getKey() + " = " + setting.getValue() + "\n")
              .collect(Collectors.joining()));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the configuration of OpenTSDB", e);
    }
  }

  private static final String LOGBACK =
      """
      <configuration>
        <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
          <encoder><pattern>%d{HH:mm:ss.SSS} %-5level %logger{0} %msg%n</pattern></encoder>
        </appender>
        <logger name="org.apache.zookeeper" level="WARN"/>
        <root level="INFO"><appender-ref ref="out"/></root>
      </configuration>
      """;

  /** Returns the address of its API, without a trailing slash. */
  public URI address() {
    return URI.create("http://127.0.0.1:" + port);
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Kills it: everything it has acknowledged is in HBase. */
  @Override
  public void close() {
    process.close();
  }
}

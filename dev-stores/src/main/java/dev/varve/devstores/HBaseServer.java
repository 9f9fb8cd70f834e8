package dev.varve.devstores;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** HBase 2.6: master, region server and ZooKeeper in one process, on local files. */
public final class HBaseServer extends ProcessStore {
  /** It flushes its regions first, which takes a while. */
  private static final Duration STOP = Duration.ofSeconds(90);

  private static final Duration READY = Duration.ofMinutes(2);
  private static final String ADDRESS = "127.0.0.1";

  private final Path directory;
  private final Jvm jvm;
  private final @Nullable Kerberos kerberos;
  private final List<Integer> ports;

  /**
   * The identity of a secure HBase.
   *
   * @param principal principal of master and region server, {@code name/host@REALM}; its first part
   *     is the superuser
   * @param keytab file with its key
   * @param configuration the file {@code krb5.conf}
   */
  public record Kerberos(String principal, Path keytab, Path configuration) {}

  private HBaseServer(Path directory, Jvm jvm, @Nullable Kerberos kerberos) {
    super(STOP);
    this.directory = directory;
    this.jvm = jvm;
    this.kerberos = kerberos;
    this.ports = Ports.kept(directory, ADDRESS, 3);
    writeConfiguration();
  }

  /**
   * Starts HBase on free ports of 127.0.0.1, if possible the previous ones of the directory, and
   * returns once it serves clients.
   */
  public static HBaseServer start(Path directory) {
    return start(directory, Jvm.SMALL);
  }

  /** The same, with a chosen Java. */
  public static HBaseServer start(Path directory, Jvm jvm) {
    return start(directory, jvm, null);
  }

  /**
   * Starts HBase with Kerberos authentication, encrypted connections and the permissions of HBase's
   * {@code grant}. Its ZooKeeper is open to all.
   */
  public static HBaseServer start(Path directory, Kerberos kerberos) {
    return start(directory, Jvm.SMALL, kerberos);
  }

  private static HBaseServer start(Path directory, Jvm jvm, @Nullable Kerberos kerberos) {
    HBaseServer server = new HBaseServer(directory.toAbsolutePath(), jvm, kerberos);
    server.begin();
    server.awaitReady();
    return server;
  }

  @Override
  ChildProcess launch() {
    List<String> command = new ArrayList<>();
    command.add(JavaHome.ownJava().toString());
    command.addAll(
        jvm.options(List.of("-Xms64m", "-Xmx640m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")));
    command.addAll(
        List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
    if (kerberos != null) {
      command.add("-Djava.security.krb5.conf=" + kerberos.configuration());
    }
    command.addAll(
        List.of(
            "-cp",
            directory.resolve("conf") + File.pathSeparator + Parts.classPath("hbase"),
            "org.apache.hadoop.hbase.master.HMaster",
            "start"));
    return ChildProcess.start("HBase", command, directory, Map.of(), log());
  }

  @Override
  void awaitReady() {
    process().awaitOutput("Master has completed initialization", READY);
  }

  private void writeConfiguration() {
    try {
      Path conf = Files.createDirectories(directory.resolve("conf"));
      Files.writeString(conf.resolve("hbase-site.xml"), xml(site()));
      Files.writeString(conf.resolve("core-site.xml"), xml(kerberos == null ? Map.of() : LOGIN));
      Files.writeString(conf.resolve("log4j.properties"), LOG4J);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the configuration of HBase", e);
    }
  }

  private static final String LOG4J =
      """
      log4j.rootLogger=INFO,err
      log4j.appender.err=org.apache.log4j.ConsoleAppender
      log4j.appender.err.target=System.err
      log4j.appender.err.layout=org.apache.log4j.PatternLayout
      log4j.appender.err.layout.ConversionPattern=%d{ISO8601} %p %c{1}: %m%n
      """;

  /**
   * Hadoop's settings for logging in. They allow a new login every second instead of once a minute,
   * because tickets may be short-lived.
   */
  private static final Map<String, Object> LOGIN =
      Map.of(
          "hadoop.security.authentication",
          "kerberos",
          "hadoop.kerberos.min.seconds.before.relogin",
          1);

  /**
   * Settings for a small server that starts and creates tables quickly. Log writes reach the
   * operating system, but not necessarily the disk.
   */
  private Map<String, Object> site() {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("hbase.rootdir", directory.resolve("data").toUri());
    settings.put("hbase.tmp.dir", directory.resolve("tmp"));
    settings.put("hbase.cluster.distributed", false);
    settings.put("hbase.wal.provider", "filesystem");
    // The default local file system buffers up to 512 bytes of the log, for checksums.
    settings.put("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem");
    settings.put("hbase.unsafe.stream.capability.enforce", false);
    settings.put("hbase.zookeeper.quorum", ADDRESS);
    settings.put("hbase.zookeeper.property.clientPort", ports.get(0));
    settings.put("hbase.zookeeper.property.dataDir", directory.resolve("zookeeper"));
    settings.put("hbase.master.hostname", "localhost");
    settings.put("hbase.master.ipc.address", ADDRESS);
    settings.put("hbase.master.port", ports.get(1));
    settings.put("hbase.master.info.port", -1);
    settings.put("hbase.regionserver.hostname", "localhost");
    settings.put("hbase.regionserver.ipc.address", ADDRESS);
    settings.put("hbase.regionserver.port", ports.get(2));
    settings.put("hbase.regionserver.info.port", -1);
    settings.put("hbase.regionserver.msginterval", 200);
    settings.put("hbase.regionserver.handler.count", 5);
    settings.put("hbase.regionserver.metahandler.count", 3);
    settings.put("hbase.hregion.memstore.flush.size", 16 << 20);
    // Otherwise each family of each table takes 2 MB with its first cell.
    settings.put("hbase.hregion.memstore.mslab.enabled", false);
    settings.put("hbase.master.wait.on.regionservers.mintostart", 1);
    settings.put("hbase.master.wait.on.regionservers.interval", 50);
    settings.put("hbase.master.wait.on.regionservers.timeout", 500);
    // The master batches its operations and calls for this long, several times per table.
    settings.put("hbase.assignment.dispatch.wait.msec", 1);
    settings.put("hbase.procedure.remote.dispatcher.delay.msec", 1);
    // By default the master syncs each step to the disk.
    settings.put("hbase.master.store.region.wal.hsync", false);
    if (kerberos != null) {
      secure(settings, kerberos);
    }
    return settings;
  }

  private static String xml(Map<String, Object> settings) {
    return settings.entrySet().stream()
        .map(setting ->
            "  <property><name>%s</name><value>%s</value></property>\n"
                .formatted(setting.getKey(), setting.getValue()))
        .collect(Collectors.joining("", "<configuration>\n", "</configuration>\n"));
  }

  private static void secure(Map<String, Object> settings, Kerberos kerberos) {
    settings.put("hbase.security.authentication", "kerberos");
    settings.put("hbase.security.authorization", true);
    settings.put("hbase.rpc.protection", "privacy");
    for (String server : List.of("master", "regionserver")) {
      settings.put("hbase." + server + ".kerberos.principal", kerberos.principal());
      settings.put("hbase." + server + ".keytab.file", kerberos.keytab());
    }
    String access = "org.apache.hadoop.hbase.security.access.AccessController";
    settings.put("hbase.coprocessor.master.classes", access);
    settings.put("hbase.coprocessor.regionserver.classes", access);
    settings.put("hbase.coprocessor.region.classes", access);
  }

  @Override
  public String kind() {
    return "hbase";
  }

  @Override
  public Map<String, String> options() {
    return Map.of("quorum", ADDRESS, "port", String.valueOf(ports.getFirst()));
  }

  /** Returns the address of ZooKeeper, as {@code host:port}. */
  public String quorum() {
    return ADDRESS + ":" + ports.getFirst();
  }

  public long pid() {
    return process().pid();
  }

  @Override
  public Path log() {
    return directory.resolve("hbase.log");
  }

  /**
   * Kills it: a graceful stop takes half a minute, and its log contains every acknowledged write.
   */
  @Override
  public void close() {
    kill();
  }
}

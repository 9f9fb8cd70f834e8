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

/** Apache Kerby: a Kerberos server for one realm, which forgets its principals when it ends. */
public final class KerberosServer implements AutoCloseable {
  public static final String REALM = "VARVE.TEST";

  private static final Duration READY = Duration.ofMinutes(1);
  private static final String ADDRESS = "127.0.0.1";

  private final Path directory;
  private final int port = Ports.free();
  private final ChildProcess process;

  /**
   * Starts Kerberos on a free port of 127.0.0.1 and returns once it serves.
   *
   * @param directory receives its configuration, the keytab and its log
   * @param ticketLife maximum lifetime of a ticket, in whole seconds
   * @param principals its principals, without the realm; one keytab contains all of their keys
   */
  public static KerberosServer start(Path directory, Duration ticketLife, List<String> principals) {
    return new KerberosServer(directory.toAbsolutePath(), ticketLife, principals);
  }

  private KerberosServer(Path directory, Duration ticketLife, List<String> principals) {
    this.directory = directory;
    Path settings = writeConfiguration(ticketLife);
    List<String> command =
        new ArrayList<>(
            List.of(
                JavaHome.ownJava().toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                directory.resolve("conf") + File.pathSeparator + Parts.classPath("kerby"),
                "org.apache.hadoop.minikdc.MiniKdc",
                directory.toString(),
                settings.toString(),
                keytab().toString()));
    command.addAll(principals);
    this.process =
        ChildProcess.start(
            "Kerberos", command, directory, Map.of(), directory.resolve("kerberos.log"));
    process.awaitOutput("Standalone MiniKdc Running", READY);
  }

  private Path writeConfiguration(Duration ticketLife) {
    try {
      Path conf = Files.createDirectories(directory.resolve("conf"));
      Files.writeString(conf.resolve("log4j.properties"), LOG4J);
      return Files.writeString(
          conf.resolve("kdc.properties"),
          """
          org.name=%s
          org.domain=%s
          instance=varve
          kdc.bind.address=%s
          kdc.port=%d
          transport=TCP
          min.ticket.lifetime=1
          max.ticket.lifetime=%d
          max.renewable.lifetime=%<d
          """
              .formatted(
                  REALM.substring(0, REALM.indexOf('.')),
                  REALM.substring(REALM.indexOf('.') + 1),
                  ADDRESS,
                  port,
                  ticketLife.toSeconds()));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the configuration of Kerberos", e);
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

  /** Returns the file with the keys of all principals. */
  public Path keytab() {
    return directory.resolve("keytab");
  }

  /** Returns its port on 127.0.0.1. */
  public int port() {
    return port;
  }

  /** Returns its entry for section {@code [realms]} of {@code krb5.conf}. */
  public String realm() {
    return "  %s = {\n    kdc = %s:%d\n  }\n".formatted(REALM, ADDRESS, port);
  }

  /** Returns its log so far. */
  public String output() {
    return process.output();
  }

  /** Kills it; its database of principals is lost. */
  @Override
  public void close() {
    process.close();
  }
}

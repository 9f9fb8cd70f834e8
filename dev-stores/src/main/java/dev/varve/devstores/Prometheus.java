package dev.varve.devstores;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The original Prometheus on 127.0.0.1, from Debian's unstable suite. Varve's PromQL and HTTP API
 * are compared with it.
 */
public final class Prometheus implements AutoCloseable {
  private static final String PACKAGE = "prometheus";
  private static final Duration READY = Duration.ofSeconds(60);
  private static final Duration STOP = Duration.ofSeconds(20);

  private final int port;
  private final DebianProgram program;
  private final Path log;
  private final ChildProcess process;

  private Prometheus(Path directory, String configuration, List<String> flags) {
    this.program = DebianProgram.find(PACKAGE, "prometheus");
    this.port = Ports.free();
    this.log = directory.resolve("prometheus.log");
    List<String> command = new ArrayList<>();
    command.add(program.executable().toString());
    command.add("--config.file=" + writeConfiguration(directory, configuration));
    command.add("--storage.tsdb.path=" + directory.resolve("data"));
    command.add("--web.listen-address=127.0.0.1:" + port);
    command.addAll(flags);
    this.process = ChildProcess.start("Prometheus", command, directory, Map.of(), log);
    process.awaitOutput("Server is ready to receive web requests", READY);
  }

  /**
   * Starts it and returns once it answers.
   *
   * @param directory where its configuration, data and log go
   * @param configuration its configuration in YAML; the word {@code PORT} stands for its own port
   * @param flags flags in addition to those for folder and port, such as {@code
   *     --web.enable-remote-write-receiver}
   */
  public static Prometheus start(Path directory, String configuration, List<String> flags) {
    return new Prometheus(directory.toAbsolutePath(), configuration, flags);
  }

  private Path writeConfiguration(Path directory, String configuration) {
    try {
      Files.createDirectories(directory);
      return Files.writeString(
          directory.resolve("prometheus.yml"),
          configuration.replace("PORT", Integer.toString(port)));
    } catch (IOException e) {
      throw new DevStoreException(
          "cannot write the configuration of Prometheus: " + e.getMessage(), e);
    }
  }

  /** Returns the port of its HTTP API, on 127.0.0.1. */
  public int port() {
    return port;
  }

  /** Returns the version of the Debian package, such as {@code 3.5.3+ds1-6}. */
  public String debianVersion() {
    return program.debianVersion();
  }

  /** Returns its command line tool. */
  public static Path promtool() {
    return DebianProgram.find("promtool", "promtool").executable();
  }

  public Path log() {
    return log;
  }

  public long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    process.stop(STOP);
    process.close();
  }
}

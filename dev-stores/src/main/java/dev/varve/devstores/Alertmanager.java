package dev.varve.devstores;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The original Alertmanager on 127.0.0.1, a single instance. Varve's rules send alerts to it.
 * Debian's build needs its templates in {@code /usr/share} to start, so it runs in a mount
 * namespace in which that folder is the one of its package.
 */
public final class Alertmanager implements AutoCloseable {
  private static final String PROGRAM = "prometheus-alertmanager";
  private static final Duration READY = Duration.ofSeconds(60);
  private static final Duration STOP = Duration.ofSeconds(10);

  private final int port;
  private final DebianProgram program;
  private final ChildProcess process;

  private Alertmanager(Path directory, String configuration) {
    this.program = DebianProgram.find(PROGRAM, PROGRAM);
    this.port = Ports.kept(directory, "127.0.0.1", 1).getFirst();
    this.process =
        ChildProcess.start(
            "Alertmanager",
            List.of(
                "unshare",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                "mount --bind \"$0\" /usr/share && exec \"$@\"",
                program.executable().resolveSibling("../share").normalize().toString(),
                program.executable().toString(),
                "--config.file=" + writeConfiguration(directory, configuration),
                "--storage.path=" + directory.resolve("data"),
                "--web.listen-address=127.0.0.1:" + port,
                // It neither looks for peers nor accepts any.
                "--cluster.listen-address="),
            directory,
            Map.of(),
            directory.resolve("alertmanager.log"));
    process.awaitOutput("Listening on", READY);
  }

  /**
   * Starts it and returns once it answers. When it is started again in the same directory it uses
   * the same port, and remembers its notifications, but no alerts.
   *
   * @param directory where its configuration, data and log go
   * @param configuration its configuration in YAML
   */
  public static Alertmanager start(Path directory, String configuration) {
    return new Alertmanager(directory.toAbsolutePath(), configuration);
  }

  private static Path writeConfiguration(Path directory, String configuration) {
    try {
      return Files.writeString(directory.resolve("alertmanager.yml"), configuration);
    } catch (IOException e) {
      throw new DevStoreException(
          "cannot write the configuration of Alertmanager: " + e.getMessage(), e);
    }
  }

  /** Returns the port of its HTTP API, on 127.0.0.1. */
  public int port() {
    return port;
  }

  /** Returns the version of the Debian package, such as {@code 0.25.0-1+b4}. */
  public String debianVersion() {
    return program.debianVersion();
  }

  /** Stops it gracefully, so that it saves its state. */
  @Override
  public void close() {
    process.stop(STOP);
    process.close();
  }
}

package dev.varve.devstores;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The original Alertmanager on 127.0.0.1, alone: whom Varve's rules tell of alerts. Debian's looks
 * for its templates in {@code /usr/share} and does not start without them, so that it sees that of
 * its package there, in a mount namespace of its own.
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
                // It looks for no others, and no others find it.
                "--cluster.listen-address="),
            directory,
            Map.of(),
            directory.resolve("alertmanager.log"));
    process.awaitOutput("Listening on", READY);
  }

  /**
   * Starts it and returns once it answers. Started again in its directory it has the port of
   * before, and knows whom it has notified of what, but no alerts.
   *
   * @param directory where its configuration, data and log go
   * @param configuration in YAML
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

  /** Of its HTTP API, on 127.0.0.1. */
  public int port() {
    return port;
  }

  /** Of the Debian package, such as {@code 0.25.0-1+b4}. */
  public String debianVersion() {
    return program.debianVersion();
  }

  /** Ends it in order, so that it writes down what it knows. */
  @Override
  public void close() {
    process.stop(STOP);
    process.close();
  }
}

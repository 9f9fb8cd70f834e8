package dev.varve.devstores;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The original VictoriaMetrics, single node, on 127.0.0.1, from Debian's unstable suite. */
public final class VictoriaMetrics implements AutoCloseable {
  private static final String PACKAGE = "victoria-metrics";
  private static final Duration READY = Duration.ofSeconds(60);
  private static final Duration STOP = Duration.ofSeconds(20);

  private final int port = Ports.free();
  private final DebianProgram program = DebianProgram.find(PACKAGE, PACKAGE);
  private final ChildProcess process;

  private VictoriaMetrics(Path directory) {
    this.process =
        ChildProcess.start(
            "VictoriaMetrics",
            List.of(
                program.executable().toString(),
                "-storageDataPath=" + directory.resolve("data"),
                "-httpListenAddr=127.0.0.1:" + port,
                "-retentionPeriod=100y"),
            directory,
            Map.of(),
            directory.resolve("victoria-metrics.log"));
    process.awaitOutput("started server at http://", READY);
  }

  /** Starts it and returns once it answers; its data and log go to the directory. */
  public static VictoriaMetrics start(Path directory) {
    return new VictoriaMetrics(directory.toAbsolutePath());
  }

  /** Returns the port of its HTTP API, on 127.0.0.1. */
  public int port() {
    return port;
  }

  /** Returns the version of the Debian package, such as {@code 1.145.0+ds1-2}. */
  public String debianVersion() {
    return program.debianVersion();
  }

  @Override
  public void close() {
    process.stop(STOP);
    process.close();
  }
}

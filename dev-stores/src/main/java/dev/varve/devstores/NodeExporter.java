package dev.varve.devstores;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The original node exporter on 127.0.0.1: metrics of this machine in Prometheus' text format. */
public final class NodeExporter implements AutoCloseable {
  private static final Duration READY = Duration.ofSeconds(60);
  private static final Duration STOP = Duration.ofSeconds(10);

  private final int port = Ports.free();
  private final DebianProgram program;
  private final ChildProcess process;

  private NodeExporter(Path directory) {
    this.program = DebianProgram.find("prometheus-node-exporter", "prometheus-node-exporter");
    this.process =
        ChildProcess.start(
            "node exporter",
            List.of(program.executable().toString(), "--web.listen-address=127.0.0.1:" + port),
            directory,
            Map.of(),
            directory.resolve("node-exporter.log"));
    process.awaitOutput("Listening on", READY);
  }

  /** Starts it and returns once it answers; its log goes to the directory. */
  public static NodeExporter start(Path directory) {
    return new NodeExporter(directory.toAbsolutePath());
  }

  /** Returns the port of {@code /metrics}, on 127.0.0.1. */
  public int port() {
    return port;
  }

  /** Returns the version of the Debian package, such as {@code 1.5.0-1+b6}. */
  public String debianVersion() {
    return program.debianVersion();
  }

  @Override
  public void close() {
    process.stop(STOP);
    process.close();
  }
}

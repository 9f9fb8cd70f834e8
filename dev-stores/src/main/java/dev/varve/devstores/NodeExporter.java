package dev.varve.devstores;

import java.nio.file.Path;
import java.util.List;

/** The original node exporter on 127.0.0.1: metrics of this machine in Prometheus' text format. */
public final class NodeExporter extends DebianServer {
  private static final String PROGRAM = "prometheus-node-exporter";

  private NodeExporter(DebianProgram program, int port, Path directory) {
    super(
        "node exporter",
        program,
        port,
        List.of(program.executable().toString(), "--web.listen-address=127.0.0.1:" + port),
        directory,
        "Listening on");
  }

  /** Starts it and returns once it answers; its log goes to the directory. */
  public static NodeExporter start(Path directory) {
    return new NodeExporter(
        DebianProgram.find(PROGRAM, PROGRAM), Ports.free(), directory.toAbsolutePath());
  }
}

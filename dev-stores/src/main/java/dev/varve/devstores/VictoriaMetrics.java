package dev.varve.devstores;

import java.nio.file.Path;
import java.util.List;

/** The original VictoriaMetrics, single node, on 127.0.0.1, from Debian's unstable suite. */
public final class VictoriaMetrics extends DebianServer {
  private static final String PROGRAM = "victoria-metrics";

  private VictoriaMetrics(DebianProgram program, int port, Path directory) {
    super(
        "VictoriaMetrics",
        program,
        port,
        List.of(
            program.executable().toString(),
            "-storageDataPath=" + directory.resolve("data"),
            "-httpListenAddr=127.0.0.1:" + port,
            "-retentionPeriod=100y"),
        directory,
        "started server at http://");
  }

  /** Starts it and returns once it answers; its data and log go to the directory. */
  public static VictoriaMetrics start(Path directory) {
    return new VictoriaMetrics(
        DebianProgram.find(PROGRAM, PROGRAM), Ports.free(), directory.toAbsolutePath());
  }
}

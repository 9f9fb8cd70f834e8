package dev.varve.bench.compare;

import dev.varve.devstores.ChildProcess;
import dev.varve.devstores.DebianProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Prometheus, from Debian. */
record PrometheusServer() implements Product {
  private static DebianProgram program() {
    return DebianProgram.find("prometheus", "prometheus");
  }

  @Override
  public String name() {
    return "prometheus";
  }

  @Override
  public String version() {
    return program().debianVersion();
  }

  @Override
  public Set<Protocol> protocols() {
    return Set.of(Protocol.REMOTE_WRITE);
  }

  @Override
  public Language language() {
    return Language.PROMQL;
  }

  @Override
  public ChildProcess start(Path folder, int port) throws IOException {
    Path config =
        Files.writeString(
            folder.resolve("prometheus.yml"), "storage: {tsdb: {out_of_order_time_window: 48h}}\n");
    return ChildProcess.start(
        name(),
        List.of(
            program().executable().toString(),
            "--config.file=" + config,
            "--storage.tsdb.path=" + folder.resolve("data"),
            "--storage.tsdb.retention.time=20y",
            "--web.listen-address=127.0.0.1:" + port,
            "--web.enable-remote-write-receiver",
            "--web.enable-admin-api",
            "--query.max-samples=1000000000",
            "--query.timeout=10m"),
        folder,
        Map.of(),
        folder.resolve("log"));
  }

  @Override
  public String readyTarget() {
    return "/-/ready";
  }

  @Override
  public String writeTarget(Protocol protocol) {
    return "/api/v1/write";
  }

  /** Returns the size of a snapshot: blocks alone, without write-ahead log and head. */
  @Override
  public long atRest(Running server) throws IOException {
    try (Connection connection = new Connection(server.port())) {
      int status = connection.send("POST", "/api/v1/admin/tsdb/snapshot", "", new byte[0], 0);
      if (status != 200) {
        throw new IOException("no snapshot: " + connection.text());
      }
    }
    return ProcessFigures.diskBytes(server.data().resolve("snapshots"));
  }
}

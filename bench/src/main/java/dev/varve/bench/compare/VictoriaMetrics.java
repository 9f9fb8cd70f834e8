package dev.varve.bench.compare;

import dev.varve.devstores.ChildProcess;
import dev.varve.devstores.DebianProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** VictoriaMetrics, single node, from Debian. */
record VictoriaMetrics() implements Product {
  /** A merge begins at once, so a short silence is its end. */
  private static final Duration MERGED = Duration.ofSeconds(3);

  private static final Duration MERGE = Duration.ofMinutes(5);

  private static DebianProgram program() {
    return DebianProgram.find("victoria-metrics", "victoria-metrics");
  }

  @Override
  public String name() {
    return "victoria-metrics";
  }

  @Override
  public String version() {
    return program().debianVersion();
  }

  @Override
  public Set<Protocol> protocols() {
    return Set.of(Protocol.REMOTE_WRITE, Protocol.LINE);
  }

  @Override
  public Language language() {
    return Language.METRICSQL;
  }

  @Override
  public ChildProcess start(Path folder, int port) {
    return ChildProcess.start(
        name(),
        List.of(
            program().executable().toString(),
            "-storageDataPath=" + folder.resolve("data"),
            "-httpListenAddr=127.0.0.1:" + port,
            "-retentionPeriod=100y",
            "-influxSkipSingleField",
            "-search.latencyOffset=0s",
            "-search.maxUniqueTimeseries=10000000",
            "-search.maxSamplesPerQuery=100000000000",
            "-search.maxQueryDuration=10m"),
        folder,
        Map.of(),
        folder.resolve("log"));
  }

  @Override
  public String readyTarget() {
    return "/health";
  }

  @Override
  public String writeTarget(Protocol protocol) {
    return switch (protocol) {
      case REMOTE_WRITE -> "/api/v1/write";
      case LINE -> "/write";
    };
  }

  /** Samples stay in memory for five seconds before they are written. */
  @Override
  public Duration quietTime() {
    return Duration.ofSeconds(7);
  }

  /** Merges the parts of each month into one, as VictoriaMetrics does over time. */
  @Override
  public long atRest(Running server) throws IOException, InterruptedException {
    Connection.get(server.port(), "/internal/force_flush");
    Connection.get(server.port(), "/internal/force_merge");
    Settling.await(server, MERGED, MERGE);
    return ProcessFigures.diskBytes(server.data());
  }
}

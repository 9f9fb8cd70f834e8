package dev.varve.devstores;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The original InfluxDB 1 on 127.0.0.1, from Debian's unstable suite. */
public final class InfluxDb implements AutoCloseable {
  private static final Duration READY = Duration.ofSeconds(60);
  private static final Duration STOP = Duration.ofSeconds(20);

  private final int port = Ports.free();
  private final DebianProgram program = DebianProgram.find("influxdb", "influxd");
  private final ChildProcess process;

  private InfluxDb(Path directory) {
    this.process =
        ChildProcess.start(
            "InfluxDB",
            List.of(
                program.executable().toString(),
                "run",
                "-config",
                writeConfiguration(directory).toString()),
            directory,
            Map.of(),
            directory.resolve("influxdb.log"));
    process.awaitOutput("Listening on HTTP", READY);
  }

  /** Starts it and returns once it answers; its configuration, data and log go to the directory. */
  public static InfluxDb start(Path directory) {
    return new InfluxDb(directory.toAbsolutePath());
  }

  private Path writeConfiguration(Path directory) {
    try {
      Files.createDirectories(directory);
      return Files.writeString(
          directory.resolve("influxdb.conf"),
          """
          reporting-disabled = true
          bind-address = "127.0.0.1:0"
          [meta]
            dir = "%1$s/meta"
          [data]
            dir = "%1$s/data"
            wal-dir = "%1$s/wal"
            query-log-enabled = false
          [monitor]
            store-enabled = false
          [http]
            bind-address = "127.0.0.1:%2$d"
            log-enabled = false
          """
              .formatted(directory.resolve("data"), port));
    } catch (IOException e) {
      throw new DevStoreException(
          "cannot write the configuration of InfluxDB: " + e.getMessage(), e);
    }
  }

  /** Returns the port of its HTTP API, on 127.0.0.1. */
  public int port() {
    return port;
  }

  /** Returns the version of the Debian package, such as {@code 1.6.7~rc0-2}. */
  public String debianVersion() {
    return program.debianVersion();
  }

  @Override
  public void close() {
    process.stop(STOP);
    process.close();
  }
}

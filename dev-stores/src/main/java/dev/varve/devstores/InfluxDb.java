package dev.varve.devstores;

import java.nio.file.Path;
import java.util.List;

/** The original InfluxDB 1 on 127.0.0.1, from Debian's unstable suite. */
public final class InfluxDb extends DebianServer {
  private static final String NAME = "InfluxDB";

  private InfluxDb(DebianProgram program, int port, Path directory) {
    super(
        NAME,
        program,
        port,
        List.of(
            program.executable().toString(),
            "run",
            "-config",
            configure(NAME, directory, "influxdb.conf", configuration(directory, port)).toString()),
        directory,
        "Listening on HTTP");
  }

  /** Starts it and returns once it answers; its configuration, data and log go to the directory. */
  public static InfluxDb start(Path directory) {
    return new InfluxDb(
        DebianProgram.find("influxdb", "influxd"), Ports.free(), directory.toAbsolutePath());
  }

  private static String configuration(Path directory, int port) {
    return """
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
        .formatted(directory.resolve("data"), port);
  }
}

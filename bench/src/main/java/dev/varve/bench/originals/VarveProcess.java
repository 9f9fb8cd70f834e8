package dev.varve.bench.originals;

import dev.varve.bench.compare.Connection;
import dev.varve.bench.compare.ProcessFigures;
import dev.varve.devstores.ChildProcess;
import dev.varve.devstores.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A server of Varve with a heap of 1 GiB, as the original has. */
record VarveProcess(ChildProcess process, Contestant contestant) implements AutoCloseable {
  private static final Duration READY = Duration.ofMinutes(5);

  /**
   * Starts one that writes to an original's tables, and waits until its catalog has all series.
   *
   * @param layout also the name of the dialect
   * @param options of the store
   */
  static VarveProcess onTables(
      String name,
      Path launcher,
      Path folder,
      String layout,
      String kind,
      Map<String, String> options)
      throws IOException {
    String named =
        options.entrySet().stream()
            .map(option -> "%s: '%s'".formatted(option.getKey(), option.getValue()))
            .collect(Collectors.joining(", "));
    return start(
        name,
        launcher,
        folder,
        layout,
        """
            layout: %s
            attach: co-write
            scans: allow
            home: {kind: rocksdb}
            store: {kind: %s, options: {%s}}
        """
            .formatted(layout, kind, named));
  }

  /**
   * Starts one with an empty dataset on RocksDB.
   *
   * @param dialect of the questions
   */
  static VarveProcess onRocksDb(
      String name, Path launcher, Path folder, String layout, String dialect) throws IOException {
    return start(
        name,
        launcher,
        folder,
        dialect,
        """
            layout: %s
            store: {kind: rocksdb}
        """
            .formatted(layout));
  }

  private static VarveProcess start(
      String name, Path launcher, Path folder, String dialect, String dataset) throws IOException {
    Files.createDirectories(folder);
    int port = Ports.free();
    Path config =
        Files.writeString(
            folder.resolve("varve.yaml"),
            """
            data: %s
            listen: [{port: %d}]
            datasets:
              main:
            """
                    .formatted(folder.resolve("data"), port)
                + dataset);
    ChildProcess process =
        ChildProcess.start(
            name,
            List.of(launcher.toString(), "serve", "--config", config.toString()),
            folder,
            Map.of("VARVE_BUILD", "off", "VARVE_AOT", "off", "VARVE_HEAP", "1g"),
            folder.resolve("log"));
    process.await("an answer", () -> isReady(port), READY);
    return new VarveProcess(
        process, new Contestant(name, port, "/" + dialect, new ProcessFigures(process.pid())));
  }

  private static boolean isReady(int port) {
    try {
      Connection.get(port, "/-/ready");
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() {
    process.stop(Duration.ofSeconds(60));
    process.close();
  }
}

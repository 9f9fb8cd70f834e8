package dev.varve.bench.originals;

import dev.varve.bench.compare.Connection;
import dev.varve.bench.compare.ProcessFigures;
import dev.varve.devstores.ChildProcess;
import dev.varve.devstores.Ports;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/** A server of Varve that writes beside an original, with a heap of 1 GiB as the original has. */
record VarveOnTables(ChildProcess process, Contestant contestant) implements AutoCloseable {
  private static final Duration READY = Duration.ofMinutes(5);

  /**
   * Starts it and waits until its catalog has all series.
   *
   * @param layout also the name of the dialect
   * @param options of the store
   */
  static VarveOnTables start(
      String name,
      Path launcher,
      Path folder,
      String layout,
      String kind,
      Map<String, String> options)
      throws IOException {
    Files.createDirectories(folder);
    int port = Ports.free();
    String named =
        options.entrySet().stream()
            .map(option -> "%s: '%s'".formatted(option.getKey(), option.getValue()))
            .collect(Collectors.joining(", "));
    Path config =
        Files.writeString(
            folder.resolve("varve.yaml"),
            """
            data: %s
            listen: [{port: %d}]
            datasets:
              main:
                layout: %s
                attach: co-write
                scans: allow
                home: {kind: rocksdb}
                store: {kind: %s, options: {%s}}
            """
                .formatted(folder.resolve("data"), port, layout, kind, named));
    ChildProcess process =
        ChildProcess.start(
            name,
            java.util.List.of(launcher.toString(), "serve", "--config", config.toString()),
            folder,
            Map.of("VARVE_BUILD", "off", "VARVE_AOT", "off", "VARVE_HEAP", "1g"),
            folder.resolve("log"));
    process.await("an answer", () -> isReady(port), READY);
    return new VarveOnTables(
        process, new Contestant(name, port, "/" + layout, new ProcessFigures(process.pid())));
  }

  private static boolean isReady(int port) {
    try {
      Connection.get(port, "/-/ready");
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Sends points.
   *
   * @param path below the prefix
   */
  void write(Connection connection, String path, String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    try {
      int status =
          connection.send(
              "POST",
              contestant.prefix() + path,
              "Content-Type: application/json\r\n",
              bytes,
              bytes.length);
      if (status / 100 != 2) {
        throw new IOException("a write was answered %d: %s".formatted(status, connection.text()));
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.stop(Duration.ofSeconds(60));
    process.close();
  }
}

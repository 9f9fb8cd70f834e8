package dev.varve.bench.compare;

import dev.varve.devstores.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Varve on RocksDB, with the heap that the launcher chooses.
 *
 * @param layout of its dataset
 */
record VarveServer(String name, Path launcher, String layout) implements Product {
  @Override
  public String version() {
    return layout;
  }

  @Override
  public Set<Protocol> protocols() {
    return Set.of(Protocol.REMOTE_WRITE, Protocol.LINE);
  }

  @Override
  public Language language() {
    return Language.PROMQL;
  }

  @Override
  public ChildProcess start(Path folder, int port) throws IOException {
    Path config =
        Files.writeString(
            folder.resolve("varve.yaml"),
            "data: %s%nlisten: [{port: %d}]%ndatasets: {main: {layout: %s, store: {kind: rocksdb}}}%n"
                .formatted(folder.resolve("data"), port, layout));
    return ChildProcess.start(
        name,
        List.of(launcher.toString(), "serve", "--config", config.toString()),
        folder,
        // As after the first start of an installation; later ones use what that one made.
        Map.of("VARVE_BUILD", "off", "VARVE_AOT", "make"),
        folder.resolve("log"));
  }

  @Override
  public String readyTarget() {
    return "/-/ready";
  }

  @Override
  public String writeTarget(Protocol protocol) {
    return switch (protocol) {
      case REMOTE_WRITE -> "/api/v1/write";
      case LINE -> "/write?db=main";
    };
  }

  /** Blocks are put in order once a dataset has been quiet for 10 to 20 seconds. */
  @Override
  public Duration quietTime() {
    return Duration.ofSeconds(25);
  }

  @Override
  public long atRest(Running server) throws IOException {
    return ProcessFigures.diskBytes(server.data());
  }
}

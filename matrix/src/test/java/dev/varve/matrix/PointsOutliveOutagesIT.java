package dev.varve.matrix;

import dev.varve.devstores.BigtableEmulator;
import dev.varve.devstores.HBaseServer;
import dev.varve.devstores.Wire;
import dev.varve.engine.OutageStory;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A dataset's store fails while points are written and read, and returns. No acknowledged point is
 * missing, and reads and writes resume without help.
 */
@Execution(ExecutionMode.CONCURRENT)
class PointsOutliveOutagesIT {
  @TempDir private Path directory;

  @Test
  void whereHBaseIsKilledAndStartedAgain() throws Exception {
    try (HBaseServer hbase = HBaseServer.start(directory.resolve("hbase"));
        OutageStory story =
            new OutageStory(directory.resolve("engine"), hasty(hbase), "opentsdb")) {
      story.run(
          new OutageStory.Outage() {
            @Override
            public void begin() {
              hbase.kill();
            }

            @Override
            public void end() {
              hbase.restart();
            }
          },
          1);
    }
  }

  private static StoreConfig hasty(HBaseServer hbase) {
    Map<String, String> options = new HashMap<>(hbase.options());
    options.put("operation-timeout", "3s");
    options.put("rpc-timeout", "1s");
    options.put("retries", "2");
    options.put("hbase.client.pause", "20");
    return new StoreConfig(hbase.kind(), options);
  }

  /** The emulator forgets everything when it ends, so the connection to it is cut instead. */
  @Test
  void whereTheWayToBigtableIsCut() throws Exception {
    try (BigtableEmulator emulator = BigtableEmulator.start(directory.resolve("bigtable"));
        Wire wire = new Wire(emulator.port());
        OutageStory story = new OutageStory(directory.resolve("engine"), hasty(wire), "heroic")) {
      story.run(
          new OutageStory.Outage() {
            @Override
            public void begin() throws InterruptedException {
              wire.loseAnswers();
              TimeUnit.MILLISECONDS.sleep(800);
              wire.cut();
            }

            @Override
            public void end() throws IOException {
              wire.mend();
            }
          },
          3);
    }
  }

  private static StoreConfig hasty(Wire wire) {
    return new StoreConfig(
        "bigtable",
        Map.of(
            "emulator", "127.0.0.1:" + wire.port(),
            "timeout", "2s",
            "attempt-timeout", "500ms",
            "retries", "10"));
  }
}

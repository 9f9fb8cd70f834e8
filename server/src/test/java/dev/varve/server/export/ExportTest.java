package dev.varve.server.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.DatasetConfig;
import dev.varve.engine.Engine;
import dev.varve.engine.EngineConfig;
import dev.varve.engine.OverloadedException;
import dev.varve.formats.export.ExportWriter;
import dev.varve.layout.block.BlockLayout;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Samples;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.query.QueryLimits;
import dev.varve.query.running.QueryUse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exports beside one another. */
class ExportTest {
  @TempDir private Path directory;

  @Test
  void leaveRoomForQueries() throws Exception {
    DatasetConfig dataset = DatasetConfig.of("main", BlockLayout.of(Map.of()));
    CountDownLatch begun = new CountDownLatch(Export.RUNNING_MAX);
    CountDownLatch read = new CountDownLatch(1);
    try (Engine engine =
            Engine.open(new EngineConfig(directory, 32 << 20, List.of(dataset), "main"));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      engine
          .defaultDataset()
          .write(
              new BatchBuilder()
                  .add(GroupKey.of("m", Tags.EMPTY), 1_700_000_000_000L, new Value.Real(1))
                  .build());
      Export export =
          new Export(engine.defaultDataset(), List.of(Selector.metric("m")), TimeRange.ALL, false);
      List<Future<Long>> slow = new ArrayList<>();
      for (int i = 0; i < Export.RUNNING_MAX; i++) {
        slow.add(threads.submit(() -> run(export, begun, read)));
      }
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
      assertThatThrownBy(() -> run(export, begun, read))
          .isInstanceOf(OverloadedException.class)
          .hasMessageStartingWith("4 exports are running");
      read.countDown();
      for (Future<Long> one : slow) {
        assertThat(one.get(20, TimeUnit.SECONDS)).isEqualTo(1);
      }
      assertThat(run(export, begun, read)).isEqualTo(1);
    }
  }

  /** Exports to a client that reads nothing until it is told to; returns the samples. */
  private static long run(Export export, CountDownLatch begun, CountDownLatch read)
      throws IOException {
    long[] written = new long[1];
    export.run(
        new ExportWriter() {
          @Override
          public void write(Series series, Samples samples, int from, int to) throws IOException {
            begun.countDown();
            try {
              read.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
            written[0] += to - from;
          }

          @Override
          public void finish() {
            begun.countDown();
          }

          @Override
          public long leftOut() {
            return 0;
          }
        },
        QueryUse.of(Export.limits(QueryLimits.DEFAULTS)));
    return written[0];
  }
}

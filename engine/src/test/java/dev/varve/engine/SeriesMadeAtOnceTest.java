package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.WriteResult;
import dev.varve.layout.block.BlockLayout;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Several writes that make the same series at once. */
class SeriesMadeAtOnceTest {
  private static final int WRITERS = 6;
  private static final int BATCHES = 40;
  private static final int SERIES = 100;
  private static final long NOW = TestEngine.START_MICROS / 1000;

  @Test
  void everySampleIsFoundBeforeAndAfterARestart() throws Exception {
    for (int round = 0; round < 20; round++) {
      try (TestEngine test =
          new TestEngine(TestEngine.dataset("main", new BlockLayout(Resolution.MILLISECONDS)))) {
        writeAtOnce(test.dataset());
        assertThat(samples(test)).as("round %d", round).isEqualTo(BATCHES * SERIES);
        test.restart();
        assertThat(samples(test)).as("restart of round %d", round).isEqualTo(BATCHES * SERIES);
      }
    }
  }

  private static void writeAtOnce(Dataset dataset) throws Exception {
    CyclicBarrier start = new CyclicBarrier(WRITERS);
    try (ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
      List<Future<WriteResult>> written = new ArrayList<>();
      for (int number = 0; number < BATCHES; number++) {
        Batch batch = batch(number);
        boolean first = number < WRITERS;
        written.add(
            writers.submit(() -> {
              if (first) {
                start.await();
              }
              return dataset.write(batch);
            }));
      }
      for (Future<WriteResult> one : written) {
        assertThat(one.get().accepted()).isEqualTo(SERIES);
      }
    }
  }

  private static Batch batch(int number) {
    BatchBuilder batch = new BatchBuilder();
    for (int series = 0; series < SERIES; series++) {
      batch.add(
          GroupKey.of("m", Tags.of("host", "h" + series)), NOW + number, new Value.Real(number));
    }
    return batch.build();
  }

  private static int samples(TestEngine test) {
    ReadRequest all = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);
    return test.read(all).values().stream().mapToInt(List::size).sum();
  }
}

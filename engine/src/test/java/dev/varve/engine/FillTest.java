package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.progress.FillResult;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Filling never replaces what was written directly, in any layout. */
class FillTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));
  private static final long START_SECONDS = 1_699_999_800;

  static Stream<String> layouts() {
    return Stream.concat(Stream.of("blocks"), Layouts.list().stream().map(Layouts.Entry::name));
  }

  private static TestEngine engine(String layout) {
    return new TestEngine(
        TestEngine.dataset("main", Layouts.stored(layout, Map.of()).toArray(StorageLayout[]::new)));
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void leavesWhatIsThere(String layout) {
    try (TestEngine engine = engine(layout)) {
      Resolution unit = engine.dataset().resolution();
      BatchBuilder direct = new BatchBuilder();
      BatchBuilder migrated = new BatchBuilder();
      for (int i = 0; i < 200; i++) {
        if (i % 3 == 0) {
          direct.group(KEY).add("value", time(i, unit), i + 0.25);
        }
        migrated.group(KEY).add("value", time(i, unit), i % 6 == 0 ? i + 0.25 : i + 0.5);
      }
      engine.write(direct.build());
      engine.micros.addAndGet(10_000);

      FillResult result = engine.dataset().fill(migrated.build());

      assertThat(result.written().accepted()).isEqualTo(133);
      assertThat(result.written().refused()).isZero();
      // The samples end 200 minutes later, after midnight.
      assertThat(result.days()).hasSize(2);
      assertThat(result.days().stream().mapToInt(FillResult.Day::samples).sum()).isEqualTo(200);
      assertThat(result.days().stream().mapToInt(FillResult.Day::missing).sum()).isZero();
      assertThat(result.days().stream().mapToInt(FillResult.Day::other).sum()).isEqualTo(33);
      assertThat(result.days()).noneMatch(day -> day.given().equals(day.held()));
      Map<Long, Double> values = values(engine.dataset());
      assertThat(values).hasSize(200);
      for (int i = 0; i < 200; i++) {
        assertThat(values).containsEntry(time(i, unit), i % 3 == 0 ? i + 0.25 : i + 0.5);
      }

      engine.seal();
      engine.restart();
      assertThat(values(engine.dataset())).isEqualTo(values);
    }
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void isBeatenByWritersAtTheSameTime(String layout) throws Exception {
    try (TestEngine engine = engine(layout);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Dataset dataset = engine.dataset();
      Resolution unit = dataset.resolution();
      CountDownLatch begin = new CountDownLatch(1);
      List<Future<?>> done = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        int first = thread;
        done.add(
            threads.submit(() -> {
              begin.await();
              for (int i = first; i < 160; i += 4) {
                dataset.write(one(time(i, unit), i + 0.25));
                engine.micros.addAndGet(100);
              }
              return null;
            }));
      }
      begin.countDown();
      int filled = 0;
      for (int round = 0; round < 40; round++) {
        BatchBuilder batch = new BatchBuilder();
        for (int i = 4 * round; i < 4 * round + 12; i++) {
          batch.group(KEY).add("value", time(i, unit), i + 0.5);
        }
        filled += dataset.fill(batch.build()).written().accepted();
        engine.micros.addAndGet(100);
      }
      for (Future<?> one : done) {
        one.get();
      }

      Map<Long, Double> values = values(dataset);
      assertThat(filled).isGreaterThanOrEqualTo(8);
      assertThat(values).hasSize(168);
      for (int i = 0; i < 168; i++) {
        assertThat(values).containsEntry(time(i, unit), i < 160 ? i + 0.25 : i + 0.5);
      }
    }
  }

  @Test
  void anotherKindAtTheInstantCounts() {
    try (TestEngine engine = engine("kairosdb")) {
      engine.write(new BatchBuilder().add(KEY, 1_000, new Value.Int64(7)).build());
      FillResult result = engine.dataset().fill(one(1_000, 7.0));
      assertThat(result.written().accepted()).isZero();
      assertThat(result.days().getFirst().other()).isEqualTo(1);
    }
  }

  @Test
  void refusedSamplesAreMissing() {
    try (TestEngine engine = engine("heroic")) {
      BatchBuilder batch = new BatchBuilder();
      batch.group(KEY).add("value", 1_000, "a text");
      batch.group(KEY).add("value", 2_000, 2.5);
      FillResult result = engine.dataset().fill(batch.build());
      assertThat(result.written().accepted()).isEqualTo(1);
      assertThat(result.written().refused()).isEqualTo(1);
      FillResult.Day day = result.days().getFirst();
      assertThat(day.missing()).isEqualTo(1);
      assertThat(day.given()).isEqualTo(day.held());
    }
  }

  private static Batch one(long time, double value) {
    BatchBuilder batch = new BatchBuilder();
    batch.group(KEY).add("value", time, value);
    return batch.build();
  }

  private static long time(int minute, Resolution unit) {
    return (START_SECONDS + 60L * minute) * unit.perSecond();
  }

  private static Map<Long, Double> values(Dataset dataset) {
    Map<Long, Double> values = new TreeMap<>();
    try (RunCursor runs = dataset.read(ReadRequest.of(Selector.metric("m"), TimeRange.ALL))) {
      for (Run run = runs.next(); run != null; run = runs.next()) {
        for (int i = 0; i < run.samples().size(); i++) {
          values.put(run.samples().time(i), run.samples().doubleAt(i));
        }
      }
    }
    return values;
  }
}

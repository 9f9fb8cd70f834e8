package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.PowerLossStore.Fate;
import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.Layout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.StoreException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Acknowledged samples survive every crash, and reads never return samples that were not written.
 */
class CrashTest {
  private static final long START = 1_699_999_200_000L;
  private static final ReadRequest EVERYTHING = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);

  /** Writes random batches until a power loss, at every possible write of the store in turn. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "buckets",
        "tall-narrow",
        "kairosdb",
        "opentsdb",
        "heroic",
        "amended",
        "companion"
      })
  void keepsWhatWasAcknowledgedWhenThePowerGoes(String layouts) {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      DatasetConfig config =
          TestEngine.dataset("main", Layouts.all(layouts, Map.of()).toArray(Layout[]::new));
      try (TestEngine engine = new TestEngine(config)) {
        Model model = new Model();
        for (int life = 0; life < 3; life++) {
          engine.dataset();
          int end = engine.store().writes() + random.nextInt(25);
          engine.store().fates((write, table) -> write == end ? Fate.POWER_LOSS : Fate.WELL);
          Batch unfinished = writeUntilPowerLoss(engine, model, random);
          engine.losePower(random);
          check(engine.read(EVERYTHING), model.all(), unfinished, "seed " + seed);
          engine.write(unfinished);
          model.write(unfinished);
          assertThat(engine.read(EVERYTHING)).as("seed %d", seed).isEqualTo(model.all());
        }
      }
    }
  }

  private static Batch writeUntilPowerLoss(TestEngine engine, Model model, Random random) {
    while (true) {
      Batch batch = batch(random);
      engine.micros.addAndGet(5_000);
      try {
        assertThat(engine.write(batch).accepted()).isEqualTo(batch.sampleCount());
      } catch (WriteFailedException | StoreException e) {
        return batch;
      }
      model.write(batch);
    }
  }

  /**
   * Each sample of the unfinished batch may be stored or not; everything else must match the model.
   */
  private static void check(
      Map<Series, List<Sample>> read,
      Map<Series, List<Sample>> model,
      Batch unfinished,
      String what) {
    Model after = new Model();
    after.write(unfinished);
    Map<Series, List<Sample>> maybe = after.all();
    Map<Series, Map<Long, Value>> found = byTime(read);
    Map<Series, Map<Long, Value>> expected = byTime(model);
    Map<Series, Map<Long, Value>> possible = byTime(maybe);
    found.forEach((series, samples) ->
        samples.forEach((time, value) -> {
          Value acknowledged = expected.getOrDefault(series, Map.of()).get(time);
          Value written = possible.getOrDefault(series, Map.of()).get(time);
          assertThat(value.equals(acknowledged) || value.equals(written))
              .as(
                  "%s: %s at %d is %s, acknowledged was %s, under way %s",
                  what, series, time, value, acknowledged, written)
              .isTrue();
        }));
    expected.forEach((series, samples) ->
        samples.forEach((time, value) ->
            assertThat(found.getOrDefault(series, Map.of()))
                .as("%s: %s lost at %d", what, series, time)
                .containsKey(time)));
  }

  private static Map<Series, Map<Long, Value>> byTime(Map<Series, List<Sample>> samples) {
    Map<Series, Map<Long, Value>> byTime = new HashMap<>();
    samples.forEach((series, ofSeries) -> {
      Map<Long, Value> times = byTime.computeIfAbsent(series, s -> new HashMap<>());
      ofSeries.forEach(sample -> times.put(sample.time(), sample.value()));
    });
    return byTime;
  }

  /** A failed write is reported, and the same batch can be written again. */
  @ParameterizedTest
  @ValueSource(strings = {"buckets", "kairosdb", "opentsdb", "companion"})
  void tellsFailuresAndTakesTheSameBatchAgain(String layouts) {
    for (int seed = 0; seed < 40; seed++) {
      Random random = new Random(seed);
      DatasetConfig config =
          TestEngine.dataset("main", Layouts.all(layouts, Map.of()).toArray(Layout[]::new));
      try (TestEngine engine = new TestEngine(config)) {
        engine.dataset();
        engine.store().fates((write, table) -> fate(random));
        Model model = new Model();
        for (int i = 0; i < 20; i++) {
          Batch batch = batch(random);
          engine.micros.addAndGet(5_000);
          boolean written = false;
          while (!written) {
            try {
              engine.write(batch);
              written = true;
            } catch (WriteFailedException | StoreException e) {
              assertThat(e.getMessage()).isNotBlank();
            }
          }
          model.write(batch);
        }
        assertThat(engine.read(EVERYTHING)).as("seed %d", seed).isEqualTo(model.all());
      }
    }
  }

  private static Fate fate(Random random) {
    return switch (random.nextInt(12)) {
      case 0 -> Fate.NOT_APPLIED;
      case 1 -> Fate.UNKNOWN_BUT_APPLIED;
      case 2 -> Fate.UNKNOWN_AND_LOST;
      default -> Fate.WELL;
    };
  }

  private static Batch batch(Random random) {
    BatchBuilder batch = new BatchBuilder();
    for (int i = random.nextInt(1, 6); i > 0; i--) {
      GroupKey key =
          GroupKey.of("m", Tags.of("host", "h" + random.nextInt(6), "dc", "d" + random.nextInt(2)));
      long time = START + 3_600_000L * random.nextInt(200);
      batch.add(key, time, new Value.Real(random.nextInt(100)));
    }
    return batch.build();
  }

  /** Stamps decide which of two values is the later one, so they must never decrease. */
  @ParameterizedTest
  @ValueSource(strings = {"buckets", "amended"})
  void letsTheLaterWriteWinThoughTheClockWasSetBack(String name) {
    GroupKey key = GroupKey.of("m", Tags.of("host", "a"));
    try (TestEngine engine = new TestEngine(TestEngine.dataset("main", TestEngine.layout(name)))) {
      engine.put(key, START, new Value.Real(1));
      engine.losePower(new Random(1));
      engine.micros.addAndGet(-3_600_000_000L);
      engine.put(key, START, new Value.Real(2));
      engine.restart();
      engine.micros.addAndGet(-3_600_000_000L);
      engine.put(key, START, new Value.Real(3));

      assertThat(engine.read(EVERYTHING))
          .isEqualTo(Map.of(key.field("value"), List.of(new Sample(START, new Value.Real(3)))));
      assertThat(engine.engine().figures().get("stamp_drift_seconds")).isGreaterThan(7_000.0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"buckets"})
  void saysWhichTableCannotBeWritten(String name) {
    GroupKey key = GroupKey.of("m", Tags.of("host", "a"));
    try (TestEngine engine = new TestEngine(TestEngine.dataset("main", TestEngine.layout(name)))) {
      engine.put(key, START, new Value.Real(1));
      engine
          .store()
          .fates((write, table) -> table.startsWith("main.") ? Fate.NOT_APPLIED : Fate.WELL);

      assertThatThrownBy(() -> engine.put(key, START, new Value.Real(2)))
          .isInstanceOf(WriteFailedException.class)
          .hasMessageContaining("main.buckets")
          .hasMessageContaining("did not apply a write in 4 attempts: busy");
    }
  }
}

package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.Domain;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** A dataset behaves like a map in every layout, through restarts and power losses. */
class ModelTest {
  private static final long START = 1_699_999_200_000L;
  private static final int INSTANTS = 60;
  private static final long BETWEEN = 3_700_000;

  private static final List<String> LAYOUTS =
      List.of(
          "buckets",
          "tall-narrow",
          "newest-first",
          "salted",
          "amended",
          "cell-per-event",
          "single-timestamp-packed",
          "value-in-qualifier",
          "server-metrics",
          "heroic",
          "kairosdb",
          "opentsdb",
          "companion",
          "blocks",
          "blocks",
          "blocks");

  @Property(tries = 120)
  void doesWhatAMapDoes(@ForAll Random random) {
    List<StorageLayout> layouts =
        Layouts.stored(LAYOUTS.get(random.nextInt(LAYOUTS.size())), Map.of());
    DatasetConfig config = config(layouts, random);
    try (TestEngine engine = new TestEngine(config)) {
      Model model = new Model();
      for (int step = 0; step < 12; step++) {
        switch (random.nextInt(7)) {
          case 0 -> engine.restart();
          case 1 -> engine.losePower(random);
          case 2 -> engine.seal();
          default -> {
            Batch batch = batch(layouts.getFirst().domain(), random);
            engine.micros.addAndGet(random.nextInt(3) * 700L);
            assertThat(engine.write(batch).refused()).isZero();
            model.write(batch);
          }
        }
      }
      try {
        check(engine, model, random);
      } catch (AssertionError e) {
        throw new AssertionError(
            "in layout "
                + layouts.getFirst().identity()
                + " in "
                + config.periods().size()
                + " periods: "
                + e.getMessage(),
            e);
      }
    }
  }

  /** Returns a dataset with one period, or with two periods of different layouts. */
  private static DatasetConfig config(List<StorageLayout> layouts, Random random) {
    DatasetConfig plain = TestEngine.dataset("main", layouts.toArray(StorageLayout[]::new));
    if (random.nextBoolean()) {
      return plain;
    }
    long border = START + BETWEEN * random.nextInt(INSTANTS);
    Domain domain = layouts.getFirst().domain();
    String inCells = domain.fields() ? "tall-narrow" : "buckets";
    String later = random.nextInt(3) == 0 ? "blocks" : inCells;
    return new DatasetConfig(
        plain.name(),
        plain.store(),
        List.of(
            plain.periods().getFirst(),
            new PeriodConfig(Instant.ofEpochMilli(border), Layouts.stored(later, Map.of()))),
        null,
        plain.duplicates(),
        Set.of(),
        false);
  }

  private static Batch batch(Domain domain, Random random) {
    BatchBuilder batch = new BatchBuilder();
    for (int i = random.nextInt(1, 40); i > 0; i--) {
      GroupKey key =
          GroupKey.of(
              "m" + random.nextInt(2),
              Tags.of("host", "h" + random.nextInt(4), "dc", "d" + random.nextInt(2)));
      String field =
          domain.fields() && random.nextInt(3) == 0
              ? "f" + random.nextInt(2)
              : Series.DEFAULT_FIELD;
      Kind[] kinds = domain.kinds().stream().sorted().toArray(Kind[]::new);
      Kind kind = kinds[random.nextInt(kinds.length)];
      long time = START + BETWEEN * random.nextInt(INSTANTS);
      batch.add(key, field, time, value(kind, random));
    }
    return batch.build();
  }

  private static Value value(Kind kind, Random random) {
    return switch (kind) {
      case DOUBLE -> new Value.Real(random.nextInt(100) / 4.0 + 0.125);
      case INT64 -> new Value.Int64(random.nextInt(1 << random.nextInt(1, 30)));
      case STRING -> new Value.Text("text " + random.nextInt(50));
    };
  }

  private static void check(TestEngine engine, Model model, Random random) {
    Selector all = new Selector(List.of(new TagFilter.Prefix(Series.NAME_LABEL, "m")));
    assertSame(engine.read(ReadRequest.of(all, TimeRange.ALL)), model.all());
    for (int i = 0; i < 5; i++) {
      long a = START + random.nextLong(BETWEEN * INSTANTS);
      long b = START + random.nextLong(BETWEEN * INSTANTS);
      TimeRange times = new TimeRange(Math.min(a, b), Math.max(a, b));
      String host = "h" + random.nextInt(4);
      Selector some = Selector.metric("m1", new TagFilter.NotEqual("host", host));
      assertSame(
          engine.read(ReadRequest.of(some, times)),
          model.read(
              times,
              series ->
                  series.metric().equals("m1") && !host.equals(series.key().tags().get("host"))));
    }
    assertThat(engine.dataset().catalog().series(all, null))
        .containsExactlyInAnyOrderElementsOf(model.all().keySet());
  }

  /** Reports the first difference, because printing both sides would take pages. */
  private static void assertSame(
      Map<Series, List<Sample>> read, Map<Series, List<Sample>> expected) {
    assertThat(read.keySet()).containsExactlyInAnyOrderElementsOf(expected.keySet());
    expected.forEach((series, samples) ->
        assertThat(read.get(series)).as(series::toString).containsExactlyElementsOf(samples));
  }
}

package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.progress.DeleteCount;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.Domain;
import dev.varve.layout.Layout;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A dataset equals a map in every layout while samples are written, also late ones, deleted and
 * written again, and while the process is restarted or loses power. Once no delete stands, the
 * catalog has the keys with samples, and no others.
 */
@Execution(ExecutionMode.CONCURRENT)
class DeletesModelTest {
  /** Operations of each layout. */
  private static final int OPERATIONS = Integer.getInteger("varve.deletes.operations", 60);

  /** Operations on one dataset: a power loss replays all that was ever written to it. */
  private static final int OPERATIONS_MAX = 500;

  private static final long SEED = Long.getLong("varve.deletes.seed", 5);
  private static final long START = 1_699_999_200_000L;
  private static final long BETWEEN = 370_000;
  private static final int INSTANTS = 60;
  private static final Selector ALL =
      new Selector(List.of(new TagFilter.Prefix(Series.NAME_LABEL, "m")));

  static Stream<String> layouts() {
    return Stream.concat(
        Stream.of("blocks"),
        Layouts.list().stream().map(Layouts.Entry::name).filter(name -> !name.equals("blocks")));
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void equalsAMap(String name) throws InterruptedException {
    for (int done = 0; done < OPERATIONS; done += OPERATIONS_MAX) {
      equalsAMap(name, SEED + done, Math.min(OPERATIONS_MAX, OPERATIONS - done));
    }
  }

  private void equalsAMap(String name, long seed, int operations) throws InterruptedException {
    List<StorageLayout> layouts = Layouts.stored(name, Map.of());
    Domain domain = layouts.getFirst().domain();
    Random random = new Random(seed + name.hashCode());
    Model model = new Model();
    try (TestEngine engine = new TestEngine(config(layouts, random))) {
      // Later than all samples, so that compaction finds closed rows.
      engine.micros.addAndGet(Duration.ofDays(2).toNanos() / 1000);
      for (int step = 0; step < operations; step++) {
        engine.micros.addAndGet(random.nextInt(3) * 700L);
        switch (random.nextInt(12)) {
          case 0 -> engine.restart();
          case 1 -> engine.losePower(random);
          case 2, 3, 4 -> delete(engine, model, layouts.getFirst(), random);
          case 5 -> engine.seal();
          case 6 -> compact(engine, layouts.getFirst());
          case 7 -> {
            check(engine, model, "after step " + step);
            if (engine.dataset().deletes().pending().isEmpty()) {
              checkSeries(engine, model, "after step " + step);
            }
          }
          default -> write(engine, model, domain, layouts.getFirst(), random);
        }
      }
      check(engine, model, "at the end");
      for (Deletion one : engine.dataset().deletes().pending()) {
        assertThat(one.await(Duration.ofSeconds(20))).as("%s", one.progress()).isTrue();
      }
      assertThat(engine.dataset().deletes().pending()).isEmpty();
      check(engine, model, "after all deletes");
      checkSeries(engine, model, "after all deletes");
      deleteEverything(engine, model);
      check(engine, model, "after a delete of everything");
      checkSeries(engine, model, "after a delete of everything");
      engine.losePower(random);
      checkSeries(engine, model, "after a restart");
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("layout %s, seed %d: %s".formatted(name, seed, e.getMessage()), e);
    }
  }

  /** Returns a dataset with one period, or with two periods of different layouts. */
  private static DatasetConfig config(List<StorageLayout> layouts, Random random) {
    DatasetConfig plain = TestEngine.dataset("main", layouts.toArray(StorageLayout[]::new));
    StorageLayout first = layouts.getFirst();
    if (first.resolution() != Resolution.MILLISECONDS || random.nextBoolean()) {
      return plain;
    }
    String inCells = first.domain().fields() ? "tall-narrow" : "buckets";
    String later = random.nextBoolean() ? "blocks" : inCells;
    return new DatasetConfig(
        plain.name(),
        plain.store(),
        List.of(
            plain.periods().getFirst(),
            new DatasetConfig.PeriodConfig(
                Instant.ofEpochMilli(START + BETWEEN * random.nextInt(INSTANTS)),
                Layouts.stored(later, Map.of()))),
        null,
        plain.duplicates(),
        Set.of(),
        false);
  }

  private static void compact(TestEngine engine, StorageLayout layout) {
    if (layout instanceof Layout cells && cells.compaction().isPresent()) {
      engine
          .dataset()
          .maintenance()
          .compact(ReadRequest.of(ALL, TimeRange.ALL), progress -> {}, () -> false);
    }
  }

  private void delete(TestEngine engine, Model model, StorageLayout layout, Random random)
      throws InterruptedException {
    long from = START + BETWEEN * random.nextInt(INSTANTS);
    long to = from + BETWEEN * random.nextInt(1, random.nextBoolean() ? 4 : INSTANTS);
    TimeRange times =
        random.nextInt(6) == 0 ? TimeRange.ALL : new TimeRange(at(from, layout), at(to, layout));
    String host = "h" + random.nextInt(4);
    List<TagFilter> filters = new ArrayList<>(ALL.filters());
    filters.add(new TagFilter.Equal("host", host));
    Predicate<Series> wanted = series -> host.equals(series.key().tags().get("host"));
    if (layout.domain().fields() && random.nextBoolean()) {
      filters.add(new TagFilter.Equal(Series.FIELD_LABEL, "f1"));
      wanted = wanted.and(series -> series.field().equals("f1"));
    }
    Selector selector = new Selector(filters);
    DeleteCount counted = engine.dataset().deletes().count(selector, times, ReadGuard.NONE);
    Deletion deletion = engine.dataset().deletes().begin(selector, times);
    int series = model.read(times, wanted).size();
    assertThat(counted)
        .as("dry run of %s in %s", selector, times)
        .isEqualTo(new DeleteCount(series, model.delete(times, wanted)));
    if (random.nextBoolean()) {
      assertThat(deletion.await(Duration.ofSeconds(20))).as("%s", deletion.progress()).isTrue();
    }
  }

  private static long at(long millis, StorageLayout layout) {
    return Resolution.MILLISECONDS.convert(millis, layout.resolution());
  }

  private static void write(
      TestEngine engine, Model model, Domain domain, StorageLayout layout, Random random) {
    BatchBuilder builder = new BatchBuilder();
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
      long time = at(START + BETWEEN * random.nextInt(INSTANTS), layout);
      builder.add(key, field, time, value(kinds[random.nextInt(kinds.length)], random));
    }
    Batch batch = builder.build();
    assertThat(engine.write(batch).refused()).isZero();
    model.write(batch);
  }

  private static Value value(Kind kind, Random random) {
    return switch (kind) {
      case DOUBLE -> new Value.Real(random.nextInt(100) / 4.0 + 0.125);
      case INT64 -> new Value.Int64(random.nextInt(1 << random.nextInt(1, 30)));
      case STRING -> new Value.Text("text " + random.nextInt(50));
    };
  }

  private static void deleteEverything(TestEngine engine, Model model) throws InterruptedException {
    Deletion deletion = engine.dataset().deletes().begin(ALL, TimeRange.ALL);
    model.delete(TimeRange.ALL, series -> true);
    assertThat(deletion.await(Duration.ofSeconds(20))).as("%s", deletion.progress()).isTrue();
  }

  /** Compares the keys that the catalog lists: those with a sample, and no others. */
  private static void checkSeries(TestEngine engine, Model model, String when) {
    Set<GroupKey> expected = new HashSet<>();
    model.all().forEach((series, samples) -> expected.add(series.key()));
    assertThat(
            engine
                .dataset()
                .catalog()
                .series(ALL, null)
                .map(Series::key)
                .collect(Collectors.toSet()))
        .as("series %s", when)
        .isEqualTo(expected);
    Set<String> hosts = new TreeSet<>();
    expected.forEach(key -> hosts.add(String.valueOf(key.tags().get("host"))));
    assertThat(engine.dataset().catalog().labelValues("host", ALL))
        .as("hosts %s", when)
        .containsExactlyElementsOf(hosts);
  }

  private static void check(TestEngine engine, Model model, String when) {
    Map<Series, List<Sample>> read = engine.read(ReadRequest.of(ALL, TimeRange.ALL));
    Map<Series, List<Sample>> expected = model.all();
    assertThat(read.keySet()).as(when).containsExactlyInAnyOrderElementsOf(expected.keySet());
    expected.forEach((series, samples) ->
        assertThat(read.get(series)).as("%s of %s", when, series).isEqualTo(samples));
  }
}

package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.varve.devstores.BigtableEmulator;
import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.Access;
import dev.varve.engine.config.DatasetConfig.Attached;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.Refresh;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.registry.Layouts;
import dev.varve.matrix.HeroicTable.Point;
import dev.varve.matrix.HeroicTable.Stored;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Takes over Heroic's table in Bigtable: Varve reads what Heroic has written, continues to write,
 * and writes what Heroic reads. No Heroic runs; {@link HeroicTable} takes its place.
 */
class HeroicTakeoverIT {
  private static final int POINTS = Integer.getInteger("varve.takeover.points", 2000);
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final Path RECORDED =
      Path.of("../layout/src/test/resources/dev/varve/layout/heroic/heroic-cells.tsv");
  private static final String[] FAMILIES = {"points", "distributionPoints", "events"};

  private static final long BASE = 395 * HeroicTable.ROW;
  private static final int ROWS = 4;
  private static final List<String> TEXTS =
      List.of(
          "a",
          "",
          "A",
          "host",
          "with space",
          "c:d=e,f",
          "%",
          "\n\0",
          "Zürich",
          "東京",
          "\ud83d\ude00",
          "\uff41",
          "x".repeat(127),
          "y".repeat(128),
          "é".repeat(100));

  @TempDir private static Path directory;
  private static BigtableEmulator emulator;

  @BeforeAll
  static void start() {
    emulator = BigtableEmulator.start(directory.resolve("emulator"));
  }

  @AfterAll
  static void stop() {
    emulator.close();
  }

  /** The points that both have written, as they must be read. */
  private final Map<GroupKey, NavigableMap<Long, Double>> model = new HashMap<>();

  private final Random random = new Random(SEED);

  private static Engine open(String table, Access access) {
    DatasetConfig dataset =
        new DatasetConfig(
                table,
                new StoreConfig("bigtable", emulator.options()),
                List.of(new PeriodConfig(Instant.MIN, List.of(Layouts.of("heroic", Map.of())))),
                null,
                DatasetConfig.Duplicates.LAST,
                Set.of(),
                false)
            .with(new Refresh(Duration.ofSeconds(1), Duration.ofSeconds(1)))
            .with(new Attached(access, Map.of("metrics", table), null));
    return Engine.open(
        new EngineConfig(
            directory.resolve(table + "-" + access), RunningStore.MEMORY, List.of(dataset), table));
  }

  private static Dataset complete(Engine engine) {
    Dataset dataset = engine.defaultDataset();
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(20))
        .until(dataset::isCatalogComplete);
    return dataset;
  }

  private static double figure(Engine engine, String table, String figure) {
    return Objects.requireNonNull(
        engine.figures().get("%s{dataset=\"%s\"}".formatted(figure, table)), figure);
  }

  @Test
  void eachReadsWhatTheOtherWrites() throws Exception {
    try (HeroicTable heroic = new HeroicTable(emulator, "metrics").make(FAMILIES)) {
      List<GroupKey> keys = keys(Math.max(30, POINTS / 100));
      writeByHeroic(heroic, points(keys, POINTS));
      writeByHeroic(heroic, again(POINTS / 10));
      Map<String, String> schema = heroic.schema();
      Set<Stored> cells = heroic.cells();
      assertThat(cells).isEqualTo(cells(model));

      try (Engine engine = open("metrics", Access.READ_ONLY)) {
        Dataset varve = complete(engine);
        assertSame("written by Heroic, read by Varve", read(varve), model);
        assertRead(engine, "metrics", cells);
        assertThat(varve.write(batch(points(keys, 5))).accepted()).isZero();
        assertThat(heroic.cells()).as("in read-only mode").isEqualTo(cells);

        writeByHeroic(heroic, points(keys(10), 50));
        writeByHeroic(heroic, points(keys, 50));
        awaitSame("found while Heroic goes on", varve);
        assertThat(heroic.schema()).as("in read-only mode").isEqualTo(schema);
      }
      try (Engine engine = open("metrics", Access.CO_WRITE)) {
        Dataset varve = complete(engine);
        List<Point> theirs = points(keys, POINTS / 2);
        theirs.addAll(points(keys(POINTS / 100), POINTS / 2));
        writeByVarve(varve, theirs);
        writeByVarve(varve, again(POINTS / 10));
        assertThat(heroic.cells()).as("cells, byte by byte").isEqualTo(cells(model));
        assertSame("written by both, read by Varve", read(varve), model);
        assertSame("written by both, read by Heroic", readByHeroic(heroic), seenByHeroic());

        writeByHeroic(heroic, again(POINTS / 10));
        writeByHeroic(heroic, points(keys(10), 50));
        awaitSame("written over by Heroic", varve);
        assertSame("the same by Heroic", readByHeroic(heroic), seenByHeroic());
        assertThat(heroic.schema()).as("in co-write mode").containsAllEntriesOf(schema);
      }
    }
  }

  /**
   * Checks that the scan read every row once: its key and the qualifier of one cell per family,
   * without values.
   */
  private static void assertRead(Engine engine, String table, Set<Stored> cells) {
    Map<ByteString, Set<String>> rows = new HashMap<>();
    cells.forEach(
        cell -> rows.computeIfAbsent(cell.row(), row -> new HashSet<>()).add(cell.family()));
    long bytes = 0;
    for (Map.Entry<ByteString, Set<String>> row : rows.entrySet()) {
      bytes += row.getValue().size() * (row.getKey().size() + 4L);
    }
    assertThat(figure(engine, table, "catalog_rebuilt_rows")).isEqualTo(rows.size());
    assertThat(figure(engine, table, "catalog_rebuilt_bytes")).isEqualTo((double) bytes);
  }

  /** A scan that is interrupted repeatedly reads no page of rows twice. */
  @Test
  void buildsTheCatalogFromRowKeysAndGoesOnWhereItStopped() throws Exception {
    int series = 20_000;
    try (HeroicTable heroic = new HeroicTable(emulator, "many").make(FAMILIES)) {
      heroic.write(manyCells(series));
      double rows = 0;
      double bytes = 0;
      int lives = 0;
      for (boolean complete = false; !complete; lives++) {
        try (Engine engine = open("many", Access.READ_ONLY)) {
          Dataset varve = engine.defaultDataset();
          await()
              .atMost(Duration.ofSeconds(60))
              .pollInterval(Duration.ofMillis(2))
              .until(() -> figure(engine, "many", "catalog_rebuilt_rows") > 0);
          // Rows read between this check and the close are kept, but not counted.
          complete = varve.isCatalogComplete();
          rows += figure(engine, "many", "catalog_rebuilt_rows");
          bytes += figure(engine, "many", "catalog_rebuilt_bytes");
          if (complete) {
            assertThat(varve.catalog().seriesCount()).isEqualTo(series);
          }
        }
      }
      assertThat(lives).as("how often it was started").isGreaterThan(1);
      assertThat(rows).as("rows that were read").isLessThanOrEqualTo(series);
      assertThat(bytes).as("bytes that were read").isLessThan(2_000_000);
    }
  }

  /** Returns one row per series; one in a hundred also holds a distribution of 50 KB. */
  private static List<Stored> manyCells(int series) {
    List<Stored> cells = new ArrayList<>();
    ByteString large = ByteString.copyFrom(new byte[50_000]);
    for (int i = 0; i < series; i++) {
      GroupKey key = GroupKey.of("m" + i % 6, Tags.of("host", "h" + i));
      Stored point = HeroicTable.cell(new Point(key, BASE + i, i));
      cells.add(point);
      if (i % 100 == 0) {
        cells.add(new Stored(point.row(), "distributionPoints", point.qualifier(), large));
      }
    }
    return cells;
  }

  @Test
  void bothKnowTheCellsThatHeroicsOwnClassesMade() throws Exception {
    try (HeroicTable theirs = new HeroicTable(emulator, "recorded").make(FAMILIES);
        HeroicTable ours = new HeroicTable(emulator, "recorded-again").make(FAMILIES)) {
      Set<Stored> recorded = new HashSet<>();
      for (String[] line : recorded()) {
        Stored cell = new Stored(hex(line[6]), "points", hex(line[7]), hex(line[8]));
        double value = Double.longBitsToDouble(Long.parseUnsignedLong(line[5], 16));
        Point point = new Point(key(line), Long.parseLong(line[4]), value);
        assertThat(HeroicTable.cell(point)).as(line[0]).isEqualTo(cell);
        recorded.removeIf(
            other -> other.row().equals(cell.row()) && other.qualifier().equals(cell.qualifier()));
        recorded.add(cell);
        theirs.write(List.of(cell));
        note(List.of(point));
      }
      try (Engine engine = open("recorded", Access.READ_ONLY)) {
        assertSame("recorded cells", read(complete(engine)), model);
      }
      try (Engine engine = open("recorded-again", Access.CO_WRITE)) {
        Dataset varve = complete(engine);
        model.forEach((key, points) ->
            points.forEach((time, value) ->
                assertThat(varve.write(batch(List.of(new Point(key, time, value)))).refused())
                    .isZero()));
      }
      assertThat(ours.cells()).isEqualTo(recorded);
    }
  }

  /** Heroic before 2.3.8 created no family of that name for distributions. */
  @Test
  void takesATableThatAnOlderHeroicMade() throws Exception {
    try (HeroicTable heroic = new HeroicTable(emulator, "older").make("points", "events")) {
      writeByHeroic(heroic, points(keys(5), 100));
      Map<String, String> schema = heroic.schema();
      try (Engine engine = open("older", Access.READ_ONLY)) {
        assertSame("of an older Heroic", read(complete(engine)), model);
      }
      try (Engine engine = open("older", Access.CO_WRITE)) {
        writeByVarve(complete(engine), points(keys(5), 100));
      }
      assertThat(heroic.cells()).isEqualTo(cells(model));
      assertThat(heroic.schema()).containsAllEntriesOf(schema);
    }
  }

  private static List<String[]> recorded() throws IOException {
    return Files.readAllLines(RECORDED).stream()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("\t", -1))
        .toList();
  }

  private static GroupKey key(String[] line) {
    return new GroupKey(text(line[1]), tags(line[2]), tags(line[3]));
  }

  private static Tags tags(String pairs) {
    Map<String, String> tags = new TreeMap<>();
    if (!pairs.isEmpty()) {
      Arrays.stream(pairs.split("&", -1))
          .map(pair -> pair.split("=", -1))
          .forEach(pair -> tags.put(text(pair[0]), text(pair[1])));
    }
    return Tags.of(tags);
  }

  private static String text(String encoded) {
    return URLDecoder.decode(encoded, StandardCharsets.UTF_8);
  }

  private static ByteString hex(String hex) {
    return ByteString.copyFrom(Bytes.fromHex(hex).toArray());
  }

  private List<GroupKey> keys(int count) {
    List<GroupKey> keys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      keys.add(new GroupKey("metric " + random.nextInt(20), tags(4), tags(3)));
    }
    return keys;
  }

  private Tags tags(int most) {
    Map<String, String> tags = new HashMap<>();
    for (int i = random.nextInt(most); i > 0; i--) {
      tags.put(one(TEXTS), random.nextBoolean() ? one(TEXTS) : "v" + random.nextInt(1000));
    }
    return Tags.of(tags);
  }

  private <T> T one(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  /** Returns points at borders of rows and elsewhere, no instant of a series twice. */
  private List<Point> points(List<GroupKey> keys, int count) {
    Map<Map.Entry<GroupKey, Long>, Point> points = new HashMap<>();
    while (points.size() < count) {
      GroupKey key = one(keys);
      long offset =
          random.nextInt(20) == 0 ? random.nextInt(3) - 1 : random.nextLong(HeroicTable.ROW);
      long time = BASE + random.nextInt(ROWS) * HeroicTable.ROW + offset;
      points.put(Map.entry(key, time), new Point(key, time, value()));
    }
    return new ArrayList<>(points.values());
  }

  /** Returns other values for existing points. */
  private List<Point> again(int count) {
    List<Point> all = new ArrayList<>();
    model.forEach(
        (key, points) -> points.forEach((time, v) -> all.add(new Point(key, time, value()))));
    Collections.shuffle(all, random);
    return all.subList(0, count);
  }

  private double value() {
    return switch (random.nextInt(20)) {
      case 0 -> Double.NaN;
      case 1 -> random.nextBoolean() ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
      case 2 -> -0.0;
      case 3 -> Double.MIN_VALUE;
      default -> random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20);
    };
  }

  private void note(Collection<Point> points) {
    points.forEach(point ->
        model
            .computeIfAbsent(point.key(), key -> new TreeMap<>())
            .put(point.time(), point.value()));
  }

  private void writeByHeroic(HeroicTable heroic, List<Point> points) {
    heroic.write(points);
    note(points);
  }

  private void writeByVarve(Dataset varve, List<Point> points) {
    assertThat(varve.write(batch(points)).rejections()).isEmpty();
    note(points);
  }

  private static Batch batch(List<Point> points) {
    BatchBuilder batch = new BatchBuilder();
    points.forEach(point -> batch.add(point.key(), point.time(), new Value.Real(point.value())));
    return batch.build();
  }

  private static Set<Stored> cells(Map<GroupKey, NavigableMap<Long, Double>> points) {
    Set<Stored> cells = new HashSet<>();
    points.forEach((key, samples) ->
        samples.forEach((time, value) -> cells.add(HeroicTable.cell(new Point(key, time, value)))));
    return cells;
  }

  private Map<GroupKey, NavigableMap<Long, Double>> readByHeroic(HeroicTable heroic) {
    return heroic.read(model.keySet(), BASE - 2, BASE + ROWS * HeroicTable.ROW);
  }

  /** Returns the points that Heroic sees. It never sees the first millisecond of a row. */
  private Map<GroupKey, NavigableMap<Long, Double>> seenByHeroic() {
    Map<GroupKey, NavigableMap<Long, Double>> seen = new HashMap<>();
    model.forEach((key, points) -> {
      NavigableMap<Long, Double> some = new TreeMap<>(points);
      some.keySet().removeIf(time -> time % HeroicTable.ROW == 0);
      if (!some.isEmpty()) {
        seen.put(key, some);
      }
    });
    return seen;
  }

  private Map<GroupKey, NavigableMap<Long, Double>> read(Dataset varve) {
    Map<GroupKey, NavigableMap<Long, Double>> found = new HashMap<>();
    Set<String> metrics = new HashSet<>();
    model.keySet().forEach(key -> metrics.add(key.metric()));
    for (String metric : metrics) {
      try (RunCursor cursor = varve.read(ReadRequest.of(Selector.metric(metric), TimeRange.ALL))) {
        for (Run run = cursor.next(); run != null; run = cursor.next()) {
          NavigableMap<Long, Double> points =
              found.computeIfAbsent(run.series().key(), key -> new TreeMap<>());
          for (int i = 0; i < run.samples().size(); i++) {
            points.put(run.samples().time(i), run.samples().doubleAt(i));
          }
        }
      }
    }
    return found;
  }

  private void awaitSame(String what, Dataset varve) {
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(200))
        .untilAsserted(() -> assertSame(what, read(varve), model));
  }

  private static void assertSame(
      String what,
      Map<GroupKey, NavigableMap<Long, Double>> found,
      Map<GroupKey, NavigableMap<Long, Double>> expected) {
    assertThat(found.keySet())
        .as("-Dvarve.seed=%d, %s: series", SEED, what)
        .isEqualTo(expected.keySet());
    expected.forEach((key, points) ->
        assertThat(found.get(key))
            .as("-Dvarve.seed=%d, %s: %s", SEED, what, key)
            .isEqualTo(points));
  }
}

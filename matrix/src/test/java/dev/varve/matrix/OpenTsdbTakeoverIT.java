package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.cli.Main;
import dev.varve.cli.config.VarveConfig;
import dev.varve.devstores.HBaseServer;
import dev.varve.devstores.OpenTsdb;
import dev.varve.engine.Dataset;
import dev.varve.engine.DatasetConfig;
import dev.varve.engine.DatasetConfig.Access;
import dev.varve.engine.DatasetConfig.Attached;
import dev.varve.engine.DatasetConfig.PeriodConfig;
import dev.varve.engine.DatasetConfig.Refresh;
import dev.varve.engine.DatasetConfig.StoreConfig;
import dev.varve.engine.ReadRequest;
import dev.varve.engine.RunCursor;
import dev.varve.layout.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreProviders;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import picocli.CommandLine;

/**
 * OpenTSDB 2.4.0 and Varve on the same tables of HBase, at the same time: each reads what the other
 * has written, and neither takes a UID twice.
 */
@Execution(ExecutionMode.CONCURRENT)
class OpenTsdbTakeoverIT {
  private static final int POINTS = Integer.getInteger("varve.takeover.points", 2000);
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final String MIXED = "mixed";
  private static final List<String> HOSTS = List.of("integers", "more-integers", "doubles", MIXED);

  /** Whole hours ago, so that OpenTSDB compacts what it reads. */
  private static final long START_MILLIS = 1_700_000_000_000L;

  private static final long SPAN_MILLIS = 30 * 3_600_000L;
  private static final TimeRange ANSWERED = new TimeRange(START_MILLIS, START_MILLIS + SPAN_MILLIS);

  @TempDir private static Path directory;
  private static HBaseServer hbase;

  @BeforeAll
  static void start() {
    hbase = HBaseServer.start(directory.resolve("hbase"));
  }

  @AfterAll
  static void stop() {
    hbase.close();
  }

  /** How OpenTSDB is set up, and what its tables begin with. */
  private record Setup(String name, Map<String, String> settings, Map<String, String> parameters) {
    Map<String, String> tables() {
      return Map.of("tsdb", name, "tsdb-uid", name + "-uid");
    }

    boolean appends() {
      return settings.containsKey("tsd.storage.enable_appends");
    }

    OpenTsdb openTsdb() {
      Map<String, String> all = new HashMap<>(settings);
      all.put("tsd.storage.hbase.data_table", name);
      all.put("tsd.storage.hbase.uid_table", name + "-uid");
      all.put("tsd.storage.hbase.meta_table", name + "-meta");
      all.put("tsd.storage.hbase.tree_table", name + "-tree");
      return OpenTsdb.start(directory.resolve("opentsdb-" + name), hbase.quorum(), all);
    }
  }

  @Test
  void readEachOther() throws Exception {
    check(new Setup("plain", Map.of(), Map.of()));
  }

  @Test
  void readEachOtherWithSaltAndOtherWidths() throws Exception {
    check(
        new Setup(
            "salted",
            Map.of(
                "tsd.storage.salt.width", "1",
                "tsd.storage.salt.buckets", "7",
                "tsd.storage.uid.width.metric", "4",
                "tsd.storage.uid.width.tagk", "2"),
            Map.of("saltWidth", "1", "saltBuckets", "7", "metricWidth", "4", "tagkWidth", "2")));
  }

  @Test
  void readEachOtherWithSaltAndAppends() throws Exception {
    check(
        new Setup(
            "appended",
            Map.of(
                "tsd.storage.salt.width", "1",
                "tsd.storage.salt.buckets", "7",
                "tsd.storage.enable_appends", "true"),
            Map.of("saltWidth", "1", "saltBuckets", "7")));
  }

  private void check(Setup setup) throws Exception {
    Random random = new Random(SEED);
    makeTables(setup);
    Map<String, NavigableMap<Long, Value>> model = new TreeMap<>();
    try (OpenTsdb openTsdb = setup.openTsdb()) {
      OpenTsdbClient client = new OpenTsdbClient(openTsdb.address());
      List<OpenTsdbClient.Point> theirs = points("theirs", random, model);
      client.put(theirs.subList(0, POINTS / 2));
      client.putByTelnet(theirs.subList(POINTS / 2, POINTS));
      checkInference(setup, client);
      try (VarveServer varve =
          VarveServer.start(directory.resolve("varve-" + setup.name), config(setup))) {
        Dataset dataset = varve.dataset();
        // Lines get no answer, and what they put is in HBase a little later.
        await()
            .atMost(Duration.ofSeconds(30))
            .untilAsserted(() ->
                assertSame(
                    setup, model, read(dataset, "theirs"), "written by OpenTSDB, read by Varve"));

        writeAsAgents(varve, points("ours", random, model));
        // Into rows that OpenTSDB has begun.
        write(dataset, points("theirs", random, model));
        checkReads(setup, client, dataset, model, "theirs");
        checkAnswers(setup, varve, model, "theirs");
        assertThat(compact(dataset, "ours")).as("rows that Varve compacted").isPositive();
        checkReads(setup, client, dataset, model, "ours");
        checkAnswers(setup, varve, model, "ours");
        assertUidsOnce(setup, client, dataset);
      }
    }
  }

  /** What {@code varve attach} finds out at tables that OpenTSDB alone has written. */
  private static void checkInference(Setup setup, OpenTsdbClient client) throws Exception {
    // Of as many series as it takes to be sure of the number of buckets.
    client.put(
        IntStream.range(0, 40)
            .mapToObj(
                i -> new OpenTsdbClient.Point("many", "many" + i, START_MILLIS, new Value.Int64(i)))
            .toList());
    List<String> call = new ArrayList<>(List.of("attach", "opentsdb", "--store", "hbase"));
    hbase.options().forEach((name, value) -> call.addAll(List.of("--option", name + "=" + value)));
    setup.tables().forEach((table, name) -> call.addAll(List.of("--table", table + "=" + name)));
    Path file = directory.resolve("attached-" + setup.name + ".yaml");
    call.addAll(List.of("--write", file.toString()));
    StringWriter err = new StringWriter();
    CommandLine line = Main.commandLine();
    line.setErr(new PrintWriter(err, true));
    assertThat(line.execute(call.toArray(String[]::new))).as("%s", err).isZero();
    assertThat(err.toString()).containsPattern("(\\d+) of \\1 rows tried are its rows");
    DatasetConfig found = VarveConfig.read(file, Map.of(), Map.of()).engine().datasets().getFirst();
    assertThat(found.periods().getFirst().layouts().getFirst().identity())
        .as("%s: %s", setup.name, err)
        .isEqualTo(Layouts.of("opentsdb", setup.parameters).identity());
  }

  /** Half as lines, as those agents send that wrote to OpenTSDB before, and half over HTTP. */
  private static void writeAsAgents(VarveServer varve, List<OpenTsdbClient.Point> points)
      throws Exception {
    int half = points.size() / 2;
    new OpenTsdbClient(varve.address()).putByTelnet(points.subList(0, half));
    Map<String, Map<Long, Value>> byHost = new TreeMap<>();
    for (OpenTsdbClient.Point point : points.subList(half, points.size())) {
      byHost
          .computeIfAbsent(point.host(), host -> new TreeMap<>())
          .put(point.time(), point.value());
    }
    KairosDbClient http = new KairosDbClient(varve.address());
    byHost.forEach(
        (host, samples) -> http.put(points.getFirst().metric(), Tags.of("host", host), samples));
  }

  /** Varve's own answers over HTTP, where it has KairosDB's queries for tables of every layout. */
  private static void checkAnswers(
      Setup setup, VarveServer varve, Map<String, NavigableMap<Long, Value>> model, String metric) {
    KairosDbClient http = new KairosDbClient(varve.address());
    of(model, metric)
        .forEach((series, samples) ->
            assertThat(http.points(metric, "host", series.substring(metric.length() + 1), ANSWERED))
                .as("-Dvarve.seed=%d, %s: %s as answered", SEED, setup.name, series)
                .isEqualTo(KairosDbClient.shown(samples)));
  }

  private static void checkReads(
      Setup setup,
      OpenTsdbClient client,
      Dataset dataset,
      Map<String, NavigableMap<Long, Value>> model,
      String metric)
      throws Exception {
    Map<String, NavigableMap<Long, Value>> expected = of(model, metric);
    Map<String, NavigableMap<Long, Value>> shown = asShown(expected);
    assertSame(setup, expected, read(dataset, metric), "read by Varve");
    // Asked twice: the first time, it compacts what it reads.
    assertSame(setup, shown, asShown(client.query(metric)), "read by OpenTSDB");
    assertSame(setup, shown, asShown(client.query(metric)), "compacted by OpenTSDB");
    assertSame(setup, expected, read(dataset, metric), "compacted by OpenTSDB, read by Varve");
    if (metric.equals("theirs") && !setup.appends()) {
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() ->
              assertThat(compactedCells(setup)).as("cells that OpenTSDB compacted").isPositive());
    }
    compact(dataset, metric);
    assertSame(setup, expected, read(dataset, metric), "compacted by Varve");
    assertSame(setup, shown, asShown(client.query(metric)), "compacted by Varve, read by OpenTSDB");
  }

  /** Compacts what there is of a metric; returns how many rows were written anew. */
  private static long compact(Dataset dataset, String metric) {
    ReadRequest all = ReadRequest.of(Selector.metric(metric), TimeRange.ALL);
    return dataset.compact(all, now -> {}, () -> false).compacted();
  }

  /** OpenTSDB shows an integer as a double where the next point of the series is one. */
  private static Map<String, NavigableMap<Long, Value>> asShown(
      Map<String, NavigableMap<Long, Value>> series) {
    Map<String, NavigableMap<Long, Value>> shown = new TreeMap<>(series);
    shown.replaceAll((name, samples) -> name.endsWith(MIXED) ? asDoubles(samples) : samples);
    return shown;
  }

  private static NavigableMap<Long, Value> asDoubles(NavigableMap<Long, Value> samples) {
    NavigableMap<Long, Value> doubles = new TreeMap<>(samples);
    doubles.replaceAll((time, value) ->
        value instanceof Value.Int64(long integer) ? new Value.Real(integer) : value);
    return doubles;
  }

  /** As OpenTSDB's {@code create_table.sh} makes them. */
  private static void makeTables(Setup setup) {
    Map<String, List<String>> families =
        Map.of(
            "",
            List.of("t"),
            "-uid",
            List.of("id", "name"),
            "-meta",
            List.of("name"),
            "-tree",
            List.of("t"));
    try (Store store = store(Map.of("encoding", "diff"))) {
      families.forEach((suffix, names) ->
          store
              .open(
                  new TableSpec(
                      setup.name + suffix,
                      names.stream().map(FamilySpec::latest).toList(),
                      Resolution.MILLISECONDS,
                      Partitioning.NONE),
                  OpenMode.CREATE_IF_ABSENT)
              .close());
    }
  }

  private static Store store(Map<String, String> more) {
    Map<String, String> options = new HashMap<>(hbase.options());
    options.putAll(more);
    return StoreProviders.of("hbase")
        .open(directory.resolve("unused"), RunningStore.MEMORY, options);
  }

  private static DatasetConfig config(Setup setup) {
    return new DatasetConfig(
        "main",
        new StoreConfig("hbase", hbase.options()),
        List.of(new PeriodConfig(Instant.MIN, List.of(Layouts.of("opentsdb", setup.parameters)))),
        null,
        DatasetConfig.Duplicates.LAST,
        Set.of(),
        false,
        new Refresh(Duration.ofMillis(500), Duration.ofSeconds(2)),
        new Attached(Access.CO_WRITE, setup.tables(), new StoreConfig("rocksdb", Map.of())));
  }

  /** Points of all widths and both units, each at an instant that has none yet. */
  private static List<OpenTsdbClient.Point> points(
      String metric, Random random, Map<String, NavigableMap<Long, Value>> model) {
    List<OpenTsdbClient.Point> points = new ArrayList<>();
    while (points.size() < POINTS) {
      String host = HOSTS.get(random.nextInt(HOSTS.size()));
      long time = START_MILLIS + (long) (random.nextDouble() * SPAN_MILLIS);
      time = random.nextBoolean() ? time / 1000 * 1000 : time;
      Value value =
          switch (host) {
            case MIXED -> random.nextBoolean() ? integer(random) : real(random);
            case "doubles" -> real(random);
            default -> integer(random);
          };
      NavigableMap<Long, Value> series =
          model.computeIfAbsent(metric + "/" + host, any -> new TreeMap<>());
      // OpenTSDB takes two columns of one instant for damage.
      if (series.putIfAbsent(time, value) == null) {
        points.add(new OpenTsdbClient.Point(metric, host, time, value));
      }
    }
    return points;
  }

  private static Value real(Random random) {
    return random.nextBoolean()
        ? new Value.Real(random.nextInt(2000) / 8.0 - 100)
        : new Value.Real(random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20));
  }

  private static Value integer(Random random) {
    return new Value.Int64(
        random.nextBoolean() ? edge(random) : random.nextLong() >> random.nextInt(64));
  }

  /** A number at the edge of what some width holds. */
  private static long edge(Random random) {
    long power = 1L << (8 * (1 + random.nextInt(8)) - 1);
    return (random.nextBoolean() ? power : -power) - random.nextInt(2);
  }

  private static void write(Dataset dataset, List<OpenTsdbClient.Point> points) {
    BatchBuilder batch = new BatchBuilder();
    for (OpenTsdbClient.Point point : points) {
      batch.add(key(point.metric(), point.host()), point.time(), point.value());
    }
    assertThat(dataset.write(batch.build()).rejections()).isEmpty();
  }

  private static GroupKey key(String metric, String host) {
    return GroupKey.of(metric, Tags.of("host", host));
  }

  private static Map<String, NavigableMap<Long, Value>> of(
      Map<String, NavigableMap<Long, Value>> model, String metric) {
    Map<String, NavigableMap<Long, Value>> some = new TreeMap<>(model);
    some.keySet().removeIf(series -> !series.startsWith(metric + "/"));
    return some;
  }

  private static Map<String, NavigableMap<Long, Value>> read(Dataset dataset, String metric) {
    Map<String, NavigableMap<Long, Value>> found = new TreeMap<>();
    try (RunCursor cursor = dataset.read(ReadRequest.of(Selector.metric(metric), TimeRange.ALL))) {
      for (Run run = cursor.next(); run != null; run = cursor.next()) {
        String series = metric + "/" + run.series().key().tags().get("host");
        for (int i = 0; i < run.samples().size(); i++) {
          found
              .computeIfAbsent(series, any -> new TreeMap<>())
              .put(run.samples().time(i), run.samples().value(i));
        }
      }
    }
    return found;
  }

  private static void assertSame(
      Setup setup,
      Map<String, NavigableMap<Long, Value>> expected,
      Map<String, NavigableMap<Long, Value>> found,
      String what) {
    assertThat(found.keySet())
        .as("-Dvarve.seed=%d, %s: %s", SEED, setup.name, what)
        .isEqualTo(expected.keySet());
    expected.forEach((series, samples) ->
        assertThat(found.get(series))
            .as("-Dvarve.seed=%d, %s: %s of %s", SEED, setup.name, series, what)
            .isEqualTo(samples));
  }

  /**
   * Both name the same new things at the same time; afterwards every name has one UID, and back.
   */
  private static void assertUidsOnce(Setup setup, OpenTsdbClient client, Dataset dataset)
      throws Exception {
    int names = 60;
    try (ExecutorService both = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> ends = new ArrayList<>();
      for (int writer = 0; writer < 4; writer++) {
        List<OpenTsdbClient.Point> points = new ArrayList<>();
        for (int i = 0; i < names; i++) {
          // The same names for all, in another order, at times of their own.
          points.add(
              new OpenTsdbClient.Point(
                  "race" + i, "new" + i, START_MILLIS + 1000L * writer, new Value.Int64(writer)));
        }
        Collections.shuffle(points, new Random(writer));
        boolean theirs = writer % 2 == 0;
        for (List<OpenTsdbClient.Point> part :
            List.of(points.subList(0, names / 2), points.subList(names / 2, names))) {
          ends.add(
              both.submit(() -> {
                if (theirs) {
                  client.put(part);
                } else {
                  write(dataset, part);
                }
                return null;
              }));
        }
      }
      for (Future<?> end : ends) {
        end.get();
      }
    }
    assertOneToOne(setup);
    for (int i = 0; i < names; i++) {
      NavigableMap<Long, Value> samples = new TreeMap<>();
      for (int writer = 0; writer < 4; writer++) {
        samples.put(START_MILLIS + 1000L * writer, new Value.Int64(writer));
      }
      Map<String, NavigableMap<Long, Value>> expected = Map.of("race" + i + "/new" + i, samples);
      assertSame(setup, expected, client.query("race" + i), "named by both, read by OpenTSDB");
      assertSame(setup, expected, read(dataset, "race" + i), "named by both, read by Varve");
    }
  }

  /** Every name of a kind has a UID that is its own. */
  private static void assertOneToOne(Setup setup) {
    Map<String, Bytes> uids = new HashMap<>();
    Map<String, Bytes> names = new HashMap<>();
    for (Cell cell : cells(setup.name + "-uid", "id", "name")) {
      String kind = cell.qualifier().toUtf8();
      if (cell.family() == 0 && !cell.row().equals(Bytes.of((byte) 0))) {
        @Nullable Bytes other = uids.put(kind + " " + cell.value().hex(), cell.row());
        assertThat(other).as("the second name of UID %s of %s", cell.value(), kind).isNull();
      } else if (cell.family() == 1) {
        names.put(kind + " " + cell.row().hex(), cell.value());
      }
    }
    assertThat(uids).hasSizeGreaterThan(120);
    assertThat(names).as("names by UID").containsAllEntriesOf(uids);
  }

  /** Cells of several points. */
  private static long compactedCells(Setup setup) {
    return cells(setup.name, "t").stream().filter(cell -> cell.qualifier().length() > 4).count();
  }

  private static List<Cell> cells(String name, String... families) {
    TableSpec spec =
        new TableSpec(
                name,
                Arrays.stream(families).map(FamilySpec::latest).toList(),
                Resolution.MILLISECONDS,
                Partitioning.NONE)
            .attached(name);
    List<FamilySelect> selects =
        IntStream.range(0, families.length).mapToObj(FamilySelect::latest).toList();
    List<Cell> cells = new ArrayList<>();
    CellBatch page = new CellBatch();
    ReadPlan all = ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), selects);
    try (Store store = store(Map.of());
        Table table = store.open(spec, OpenMode.READ_ONLY);
        CellCursor cursor = table.read(all, null)) {
      while (cursor.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          cells.add(page.cell(i));
        }
      }
    }
    return cells;
  }
}

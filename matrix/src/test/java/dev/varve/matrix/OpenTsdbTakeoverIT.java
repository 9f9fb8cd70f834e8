package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.cli.Main;
import dev.varve.cli.config.VarveConfig;
import dev.varve.devstores.HBaseServer;
import dev.varve.devstores.OpenTsdb;
import dev.varve.engine.Dataset;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.Access;
import dev.varve.engine.config.DatasetConfig.Attached;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.Refresh;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.registry.Layouts;
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
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreProviders;
import dev.varve.store.TableSpec;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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
 * OpenTSDB 2.4.0 and Varve use the same tables of HBase at the same time. Each reads what the other
 * has written, and neither assigns a UID twice.
 */
@Execution(ExecutionMode.CONCURRENT)
class OpenTsdbTakeoverIT {
  private static final int POINTS = Integer.getInteger("varve.takeover.points", 2000);
  private static final long SEED = Long.getLong("varve.seed", System.nanoTime());
  private static final String DOUBLES = "doubles";
  private static final String MIXED = "mixed";

  /** Row keys have tags in the order of their UIDs; see {@link #nameZoneFirst}. */
  private static final List<Tags> SERIES =
      List.of(
          Tags.of("host", "integers", "zone", "z\u00fcrich"),
          Tags.of("app", "a/b.c_d", "host", "more-integers"),
          Tags.of("dc", "lga-1", "host", DOUBLES, "zone", "lga"),
          Tags.of("app", "db", "host", MIXED, "zone", "lga"));

  private static final Bytes APPENDS = Bytes.of((byte) 5, (byte) 0, (byte) 0);
  private static final long HOUR = 3_600_000L;
  private static final int HOURS = 30;

  /** A full hour long ago, so that OpenTSDB compacts what it reads. */
  private static final long START_MILLIS = 1_699_999_200_000L;

  private static final TimeRange ANSWERED =
      new TimeRange(START_MILLIS, START_MILLIS + HOURS * HOUR);

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

  /** A setup of OpenTSDB, and the prefix of its tables. */
  private record Setup(String name, Map<String, String> settings, Map<String, String> parameters) {
    /** Tables that {@code attach} inspects. */
    Map<String, String> tables() {
      return Map.of("tsdb", name, "tsdb-uid", name + "-uid");
    }

    Map<String, String> allTables() {
      Map<String, String> all = new HashMap<>(tables());
      all.put("tsdb-meta", name + "-meta");
      return all;
    }

    int metricDigits() {
      return 2 * Integer.parseInt(parameters.getOrDefault("metricWidth", "3"));
    }

    boolean appends() {
      return settings.containsKey("tsd.storage.enable_appends");
    }

    boolean fixesDuplicates() {
      return settings.containsKey("tsd.storage.fix_duplicates");
    }

    OpenTsdb openTsdb() {
      Map<String, String> all = new HashMap<>(settings);
      // OpenTSDB compacts rows when it reads them, and at no other time. Otherwise a value that it
      // read before an overwrite would return as the newer one.
      all.put("tsd.storage.compaction.min_flush_threshold", "1000000");
      all.put("tsd.http.show_stack_trace", "false");
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
                "tsd.storage.uid.width.tagk", "2",
                "tsd.storage.fix_duplicates", "true"),
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
                "tsd.storage.enable_appends", "true",
                "tsd.storage.fix_duplicates", "true"),
            Map.of("saltWidth", "1", "saltBuckets", "7")));
  }

  private void check(Setup setup) throws Exception {
    Random random = new Random(SEED);
    makeTables(setup);
    Map<GroupKey, NavigableMap<Long, Value>> model = new HashMap<>();
    try (OpenTsdb openTsdb = setup.openTsdb()) {
      OpenTsdbClient client = new OpenTsdbClient(openTsdb.address(), StandardCharsets.ISO_8859_1);
      nameZoneFirst(client);
      List<OpenTsdbClient.Point> theirs = points("theirs", random, model);
      client.put(theirs.subList(0, POINTS / 2));
      client.putByTelnet(theirs.subList(POINTS / 2, POINTS));
      checkInference(setup, client);
      try (VarveServer varve =
          VarveServer.start(directory.resolve("varve-" + setup.name), config(setup))) {
        Dataset dataset = varve.dataset();
        // Lines get no answer, and their points are in HBase a little later.
        await()
            .atMost(Duration.ofSeconds(30))
            .untilAsserted(() ->
                assertSame(
                    setup, model, read(dataset, "theirs"), "written by OpenTSDB, read by Varve"));

        write(dataset, overwrites("theirs", random, model, OpenTsdbTakeoverIT::asWide));
        writeAsAgents(varve, points("ours", random, model));
        client.put(overwrites("ours", random, model, OpenTsdbTakeoverIT::asWide));
        // Writes into rows that OpenTSDB has started.
        write(dataset, points("theirs", random, model));
        checkReads(setup, client, dataset, model, "theirs");
        checkAnswers(setup, varve, model, "theirs");
        assertThat(compact(dataset, "ours")).as("rows that Varve compacted").isPositive();
        assertCompacted(setup, "ours");
        checkReads(setup, client, dataset, model, "ours");
        checkAnswers(setup, varve, model, "ours");
        new AnnotationStory(
                openTsdb.address(),
                varve.address(),
                "none:theirs%7Bhost=" + DOUBLES + "%7D",
                START_MILLIS / 1000)
            .tell();
        new MetaStory(
                openTsdb.address(),
                varve.address(),
                "theirs%7Bapp=db,host=" + MIXED + ",zone=lga%7D",
                START_MILLIS / 1000,
                setup.metricDigits())
            .tell();
        new RenameStory(openTsdb.address(), varve.address(), START_MILLIS / 1000).tell();

        if (setup.fixesDuplicates()) {
          overwriteColumns(setup, client, dataset, random, model);
        } else {
          checkDuplicates(setup, client, dataset, random, model);
        }
        if (setup.appends()) {
          checkAppends(setup, client, dataset);
        }
        assertUidsOnce(setup, client, dataset);
      }
    }
  }

  /** Gives the alphabetically last tag name the lowest UID, so that it comes first in row keys. */
  private static void nameZoneFirst(OpenTsdbClient client) throws Exception {
    GroupKey key = GroupKey.of("first", Tags.of("zone", "lga"));
    client.put(List.of(new OpenTsdbClient.Point(key, START_MILLIS, new Value.Int64(0))));
  }

  /**
   * Both servers overwrite points in compacted rows, whoever wrote them, with values of any width
   * and kind, each as another column for the same instant. The newer one counts.
   */
  private static void overwriteColumns(
      Setup setup,
      OpenTsdbClient client,
      Dataset dataset,
      Random random,
      Map<GroupKey, NavigableMap<Long, Value>> model)
      throws Exception {
    client.put(overwrites("ours", random, model, OpenTsdbTakeoverIT::another));
    write(dataset, overwrites("ours", random, model, OpenTsdbTakeoverIT::another));
    write(dataset, overwrites("theirs", random, model, OpenTsdbTakeoverIT::another));
    checkReads(setup, client, dataset, model, "ours");
    checkReads(setup, client, dataset, model, "theirs");
  }

  /**
   * OpenTSDB reports two columns of one instant as damage unless it is configured to accept them.
   */
  private static void checkDuplicates(
      Setup setup,
      OpenTsdbClient client,
      Dataset dataset,
      Random random,
      Map<GroupKey, NavigableMap<Long, Value>> model)
      throws Exception {
    write(dataset, overwrites("theirs", random, model, OpenTsdbTakeoverIT::another));
    assertSame(setup, of(model, "theirs"), read(dataset, "theirs"), "two columns of one instant");
    assertThat(client.failure("theirs")).contains("tsd.storage.fix_duplicates=true");
    // Rows that Varve has compacted have one column per instant again.
    assertThat(compact(dataset, "theirs")).as("rows of two columns").isPositive();
    checkReads(setup, client, dataset, model, "theirs");
  }

  /** For both servers, a column of appends is as new as its last append. */
  private static void checkAppends(Setup setup, OpenTsdbClient client, Dataset dataset)
      throws Exception {
    GroupKey key = GroupKey.of("appended", Tags.of("host", "one"));
    Value first = new Value.Int64(1);
    Value second = new Value.Int64(2);
    client.put(List.of(new OpenTsdbClient.Point(key, START_MILLIS, first)));
    write(dataset, List.of(new OpenTsdbClient.Point(key, START_MILLIS, second)));
    checkOne(setup, client, dataset, key, Map.of(START_MILLIS, second));
    // The value that Varve has overwritten is the older one again.
    client.put(List.of(new OpenTsdbClient.Point(key, START_MILLIS + 1, second)));
    checkOne(setup, client, dataset, key, Map.of(START_MILLIS, first, START_MILLIS + 1, second));
  }

  private static void checkOne(
      Setup setup, OpenTsdbClient client, Dataset dataset, GroupKey key, Map<Long, Value> samples)
      throws Exception {
    Map<GroupKey, NavigableMap<Long, Value>> expected = Map.of(key, new TreeMap<>(samples));
    assertSame(setup, expected, read(dataset, key.metric()), "read by Varve");
    assertSame(setup, expected, client.query(key.metric()), "read by OpenTSDB");
  }

  /** Checks what {@code varve attach} finds in tables that only OpenTSDB has written. */
  private static void checkInference(Setup setup, OpenTsdbClient client) throws Exception {
    // Enough series to be sure of the number of buckets.
    client.put(
        IntStream.range(0, 40)
            .mapToObj(i ->
                new OpenTsdbClient.Point(
                    GroupKey.of("many", Tags.of("host", "many" + i)),
                    START_MILLIS,
                    new Value.Int64(i)))
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

  /** Writes half of the points as lines, as OpenTSDB's agents do, and half over HTTP. */
  private static void writeAsAgents(VarveServer varve, List<OpenTsdbClient.Point> points)
      throws Exception {
    int half = points.size() / 2;
    new OpenTsdbClient(varve.address(), StandardCharsets.UTF_8)
        .putByTelnet(points.subList(0, half));
    Map<GroupKey, Map<Long, Value>> bySeries = new HashMap<>();
    for (OpenTsdbClient.Point point : points.subList(half, points.size())) {
      bySeries
          .computeIfAbsent(point.key(), key -> new TreeMap<>())
          .put(point.time(), point.value());
    }
    KairosDbClient http = new KairosDbClient(varve.address());
    bySeries.forEach((key, samples) -> http.put(key.metric(), key.tags(), samples));
  }

  /**
   * Checks Varve's answers over HTTP with KairosDB's queries, which work on tables of every layout.
   */
  private static void checkAnswers(
      Setup setup,
      VarveServer varve,
      Map<GroupKey, NavigableMap<Long, Value>> model,
      String metric) {
    KairosDbClient http = new KairosDbClient(varve.address());
    of(model, metric)
        .forEach((series, samples) ->
            assertThat(http.points(metric, "host", host(series), ANSWERED))
                .as("-Dvarve.seed=%d, %s: %s as answered", SEED, setup.name, series)
                .isEqualTo(KairosDbClient.shown(samples)));
  }

  private static String host(GroupKey series) {
    return String.valueOf(series.tags().get("host"));
  }

  private static void checkReads(
      Setup setup,
      OpenTsdbClient client,
      Dataset dataset,
      Map<GroupKey, NavigableMap<Long, Value>> model,
      String metric)
      throws Exception {
    Map<GroupKey, NavigableMap<Long, Value>> expected = of(model, metric);
    Map<GroupKey, NavigableMap<Long, Value>> shown = asShown(expected);
    assertSame(setup, expected, read(dataset, metric), "read by Varve");
    // The first query compacts what it reads, so the query is repeated.
    assertSame(setup, shown, asShown(client.query(metric)), "read by OpenTSDB");
    assertSame(setup, shown, asShown(client.query(metric)), "compacted by OpenTSDB");
    await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertCompacted(setup, metric));
    assertSame(setup, expected, read(dataset, metric), "compacted by OpenTSDB, read by Varve");
    compact(dataset, metric);
    assertSame(setup, expected, read(dataset, metric), "compacted by Varve");
    assertSame(setup, shown, asShown(client.query(metric)), "compacted by Varve, read by OpenTSDB");
  }

  /** Checks that no row of a metric has more than one cell, except rows with appends. */
  private static void assertCompacted(Setup setup, String metric) {
    Bytes uid =
        cells(setup.name + "-uid", "id", "name").stream()
            .filter(cell -> cell.family() == 0 && cell.row().toUtf8().equals(metric))
            .map(Cell::value)
            .findFirst()
            .orElseThrow();
    int salt = Integer.parseInt(setup.parameters.getOrDefault("saltWidth", "0"));
    Map<Bytes, List<Bytes>> columns = new HashMap<>();
    for (Cell cell : cells(setup.name, "t")) {
      if (cell.row().slice(salt, salt + uid.length()).equals(uid)) {
        columns.computeIfAbsent(cell.row(), row -> new ArrayList<>()).add(cell.qualifier());
      }
    }
    boolean appends = columns.values().removeIf(row -> row.stream().anyMatch(APPENDS::equals));
    assertThat(appends).as("rows of %s with appends", metric).isEqualTo(setup.appends());
    assertThat(columns.values())
        .as("columns of %s by row", metric)
        .allMatch(row -> row.size() == 1);
    if (!setup.appends()) {
      assertThat(columns.values()).anyMatch(row -> row.getFirst().length() > 4);
    }
  }

  /** Compacts all rows of a metric and returns how many were rewritten. */
  private static long compact(Dataset dataset, String metric) {
    ReadRequest all = ReadRequest.of(Selector.metric(metric), TimeRange.ALL);
    return dataset.maintenance().compact(all, now -> {}, () -> false).compacted();
  }

  /**
   * Returns points as OpenTSDB shows them: an integer as a double if the next point of the series
   * is one.
   */
  private static Map<GroupKey, NavigableMap<Long, Value>> asShown(
      Map<GroupKey, NavigableMap<Long, Value>> series) {
    Map<GroupKey, NavigableMap<Long, Value>> shown = new HashMap<>(series);
    shown.replaceAll((key, samples) -> host(key).equals(MIXED) ? asDoubles(samples) : samples);
    return shown;
  }

  private static NavigableMap<Long, Value> asDoubles(NavigableMap<Long, Value> samples) {
    NavigableMap<Long, Value> doubles = new TreeMap<>(samples);
    doubles.replaceAll((time, value) ->
        value instanceof Value.Int64(long integer) ? new Value.Real(integer) : value);
    return doubles;
  }

  /** Creates the tables as OpenTSDB's {@code create_table.sh} does. */
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
            List.of(
                new PeriodConfig(Instant.MIN, List.of(Layouts.of("opentsdb", setup.parameters)))),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false)
        .with(new Refresh(Duration.ofMillis(500), Duration.ofSeconds(2)))
        .with(
            new Attached(Access.CO_WRITE, setup.allTables(), new StoreConfig("rocksdb", Map.of())));
  }

  /** Returns points of all widths and both units, each at an unused instant. */
  private static List<OpenTsdbClient.Point> points(
      String metric, Random random, Map<GroupKey, NavigableMap<Long, Value>> model) {
    List<OpenTsdbClient.Point> points = new ArrayList<>();
    while (points.size() < POINTS) {
      GroupKey key = GroupKey.of(metric, SERIES.get(random.nextInt(SERIES.size())));
      long time = time(random);
      Value value = value(key, random);
      if (model.computeIfAbsent(key, any -> new TreeMap<>()).putIfAbsent(time, value) == null) {
        points.add(new OpenTsdbClient.Point(key, time, value));
      }
    }
    return points;
  }

  /** Returns a second or a millisecond of any hour, often the first or last of its row. */
  private static long time(Random random) {
    long hour = START_MILLIS + random.nextInt(HOURS) * HOUR;
    return hour
        + switch (random.nextInt(20)) {
          case 0 -> 0;
          case 1 -> HOUR - 1;
          case 2 -> HOUR - 1000;
          default ->
              random.nextBoolean() ? random.nextInt(3600) * 1000L : random.nextInt((int) HOUR);
        };
  }

  private static Value value(GroupKey key, Random random) {
    return switch (host(key)) {
      case DOUBLES -> real(random);
      case MIXED -> random.nextBoolean() ? integer(random) : real(random);
      default -> integer(random);
    };
  }

  /** Chooses the value that overwrites another. */
  private interface Overwrite {
    /** Returns another value, or the same one to leave the point unchanged. */
    Value of(GroupKey key, Value value, Random random);
  }

  /**
   * Returns overwrites for some points of every other hour, so that the other rows have no appends.
   */
  private static List<OpenTsdbClient.Point> overwrites(
      String metric,
      Random random,
      Map<GroupKey, NavigableMap<Long, Value>> model,
      Overwrite overwrite) {
    List<OpenTsdbClient.Point> points = new ArrayList<>();
    of(model, metric)
        .forEach((key, samples) ->
            samples.replaceAll((time, value) -> {
              boolean some = time / HOUR % 2 == 0 && random.nextInt(4) == 0;
              Value other = some ? overwrite.of(key, value, random) : value;
              if (!other.equals(value)) {
                points.add(new OpenTsdbClient.Point(key, time, other));
              }
              return other;
            }));
    assertThat(points).hasSizeGreaterThan(POINTS / 100);
    return points;
  }

  private static Value another(GroupKey key, Value value, Random random) {
    Value other = value(key, random);
    return other.equals(value) ? another(key, value, random) : other;
  }

  /**
   * Returns a value that both servers store in as many bytes, and so in the same column. OpenTSDB
   * stores doubles that fit a float in four bytes, Varve in eight.
   */
  private static Value asWide(GroupKey key, Value value, Random random) {
    return switch (value) {
      case Value.Int64(long number) -> {
        int width = width(number);
        long other = random.nextLong() >> (64 - 8 * width);
        yield width(other) == width ? new Value.Int64(other) : value;
      }
      case Value.Real(double number) -> {
        double other = random.nextGaussian();
        boolean wide = (float) number != number && (float) other != other;
        yield wide ? new Value.Real(other) : value;
      }
      default -> throw new AssertionError(key + " has " + value);
    };
  }

  /** Returns the number of bytes of a stored integer. */
  private static int width(long number) {
    int bits = 65 - Long.numberOfLeadingZeros(number < 0 ? ~number : number);
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
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

  /** Returns a number at the limit of some width. */
  private static long edge(Random random) {
    long power = 1L << (8 * (1 + random.nextInt(8)) - 1);
    return (random.nextBoolean() ? power : -power) - random.nextInt(2);
  }

  private static void write(Dataset dataset, List<OpenTsdbClient.Point> points) {
    BatchBuilder batch = new BatchBuilder();
    for (OpenTsdbClient.Point point : points) {
      batch.add(point.key(), point.time(), point.value());
    }
    assertThat(dataset.write(batch.build()).rejections()).isEmpty();
  }

  private static Map<GroupKey, NavigableMap<Long, Value>> of(
      Map<GroupKey, NavigableMap<Long, Value>> model, String metric) {
    Map<GroupKey, NavigableMap<Long, Value>> some = new HashMap<>(model);
    some.keySet().removeIf(key -> !key.metric().equals(metric));
    return some;
  }

  private static Map<GroupKey, NavigableMap<Long, Value>> read(Dataset dataset, String metric) {
    Map<GroupKey, NavigableMap<Long, Value>> found = new HashMap<>();
    try (RunCursor cursor = dataset.read(ReadRequest.of(Selector.metric(metric), TimeRange.ALL))) {
      for (Run run = cursor.next(); run != null; run = cursor.next()) {
        for (int i = 0; i < run.samples().size(); i++) {
          found
              .computeIfAbsent(run.series().key(), any -> new TreeMap<>())
              .put(run.samples().time(i), run.samples().value(i));
        }
      }
    }
    return found;
  }

  private static void assertSame(
      Setup setup,
      Map<GroupKey, NavigableMap<Long, Value>> expected,
      Map<GroupKey, NavigableMap<Long, Value>> found,
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
   * Both servers assign UIDs to the same new names at once. Afterwards every name has one UID, and
   * every UID one name.
   */
  private static void assertUidsOnce(Setup setup, OpenTsdbClient client, Dataset dataset)
      throws Exception {
    int names = 60;
    try (ExecutorService both = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> ends = new ArrayList<>();
      for (int writer = 0; writer < 4; writer++) {
        List<OpenTsdbClient.Point> points = new ArrayList<>();
        for (int i = 0; i < names; i++) {
          // All use the same names, in another order and at different times.
          points.add(
              new OpenTsdbClient.Point(
                  raced(i), START_MILLIS + 1000L * writer, new Value.Int64(writer)));
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
      Map<GroupKey, NavigableMap<Long, Value>> expected = Map.of(raced(i), samples);
      assertSame(setup, expected, client.query("race" + i), "named by both, read by OpenTSDB");
      assertSame(setup, expected, read(dataset, "race" + i), "named by both, read by Varve");
    }
  }

  private static GroupKey raced(int i) {
    return GroupKey.of("race" + i, Tags.of("host", "new" + i));
  }

  /** Checks that every name of a kind has its own UID. */
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

  private static List<Cell> cells(String name, String... families) {
    try (Store store = store(Map.of())) {
      return StoredCells.of(store, name, families);
    }
  }
}

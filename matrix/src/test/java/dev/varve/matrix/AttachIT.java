package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import dev.varve.cli.Main;
import dev.varve.cli.config.VarveConfig;
import dev.varve.devstores.DevStore;
import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.Access;
import dev.varve.engine.config.DatasetConfig.Attached;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.request.WriteResult;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
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
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import picocli.CommandLine;

/**
 * Tests {@code varve attach} on tables of other servers in real stores, and the servers that it
 * configures. Tables that are only read stay unchanged, and foreign tables are refused.
 */
@Execution(ExecutionMode.CONCURRENT)
class AttachIT {
  private static final long START = 1_699_999_200_000L;
  private static final long HOUR = 3_600_000L;
  private static final int HOSTS = 30;
  private static final int HOURS = 3;

  /**
   * A test that checks that nothing changes in a store needs it alone: no other test may create
   * tables there meanwhile.
   */
  private static final String BIGTABLE = "bigtable";

  private static final String HBASE = "hbase";
  private static final String CASSANDRA = "cassandra";

  /** Prefix of the places of the cells in which OpenTSDB counts its UIDs. */
  private static final String COUNTED = "row 00 ";

  @TempDir private static Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() {
    RealStores.all();
  }

  /** Describes tables, by place. */
  private interface Look {
    Map<String, String> at() throws IOException;
  }

  /**
   * Existing tables.
   *
   * @param options options of the store
   * @param tables their names, if they differ from the original's
   * @param schema the store's tables and how they were created, seen by other means than Varve's
   * @param cells the content of these tables, and when it was written
   */
  private record Theirs(
      String layout,
      DevStore store,
      Map<String, String> options,
      Map<String, String> tables,
      Look schema,
      Look cells) {
    Map<String, String> look() throws IOException {
      Map<String, String> found = new TreeMap<>(schema.at());
      found.putAll(cells.at());
      return found;
    }

    List<String> attach(String... more) {
      List<String> call = new ArrayList<>(List.of("attach", layout, "--store", store.kind()));
      call.addAll(List.of("--dataset", tables.getOrDefault("tsdb", "attached")));
      options.forEach((name, value) -> call.addAll(List.of("--option", name + "=" + value)));
      tables.forEach((table, name) -> call.addAll(List.of("--table", table + "=" + name)));
      call.addAll(List.of(more));
      return call;
    }
  }

  private int run(List<String> call) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine line = Main.commandLine();
    PrintWriter to = new PrintWriter(out);
    line.setOut(to);
    line.setErr(new PrintWriter(err, true));
    int code = line.execute(call.toArray(String[]::new));
    to.flush();
    return code;
  }

  @Test
  @ResourceLock(HBASE)
  void looksAtOpenTsdbsTables() throws Exception {
    Theirs plain = openTsdb("tsdb", "tsdb-uid");
    seed(plain, Map.of());
    check(
        new Theirs(plain.layout, plain.store, plain.options, Map.of(), plain.schema, plain.cells));
    assertThat(err.toString())
        .contains("metricWidth: UIDs in tsdb-uid are [3] bytes long")
        .containsPattern(
            "saltWidth 0: [6-9][0-9] of ([6-9][0-9]) row keys have whole pairs of tags after a whole hour")
        .containsPattern("([6-9][0-9]) of \\1 rows tried are its rows");
    assertThat(out.toString()).contains("saltWidth: '0'");
  }

  @Test
  @ResourceLock(HBASE)
  void infersSaltAndWidthsOfOpenTsdb() throws Exception {
    Theirs salted = openTsdb("metrics", "metrics-uid");
    seed(
        salted,
        Map.of(
            "metricWidth", "4",
            "tagkWidth", "2",
            "saltWidth", "1",
            "saltBuckets", "7"));
    check(salted);
    assertThat(err.toString())
        .contains("metricWidth: UIDs in tsdb-uid are [4] bytes long")
        .contains("tagkWidth: UIDs in tsdb-uid are [2] bytes long")
        .contains("saltBuckets 7: gives the salt of all");
    assertThat(out.toString())
        .contains("metricWidth: '4'")
        .contains("saltWidth: '1'")
        .contains("saltBuckets: '7'");

    assertThat(run(salted.attach("--param", "saltWidth=0"))).isEqualTo(1);
    assertThat(err.toString()).contains("fit the sampled rows");
  }

  @Test
  @ResourceLock(CASSANDRA)
  void looksAtKairosDbsKeyspace() throws Exception {
    Theirs theirs = kairosDb("kairosdb", "MILLISECONDS");
    seed(theirs, Map.of("unit", "milliseconds"));
    check(theirs);
    assertThat(err.toString())
        .contains("data_points, called data_points: there")
        .contains("the tables say that it is not so");
    assertThat(out.toString()).contains("unit: 'milliseconds'");
  }

  @Test
  @ResourceLock(BIGTABLE)
  void looksAtHeroicsTable() throws Exception {
    try (HeroicTable heroic =
        new HeroicTable(RealStores.bigtable(), "metrics")
            .make("points", "distributionPoints", "events")) {
      List<HeroicTable.Point> points = new ArrayList<>();
      batch("theirs")
          .groups()
          .forEach(group -> {
            for (int i = 0; i < group.size(); i++) {
              points.add(new HeroicTable.Point(group.key(), group.times()[i], i));
            }
          });
      heroic.write(points);
      check(
          new Theirs(
              "heroic",
              RealStores.bigtable(),
              RealStores.bigtable().options(),
              Map.of(),
              heroic::schema,
              heroic::written));
      assertThat(err.toString()).contains("metrics, called metrics: there");
    }
  }

  /** Attaches and serves, and checks throughout that none of the tables changes. */
  private void check(Theirs theirs) throws Exception {
    Map<String, String> before = theirs.look();
    assertThat(before).hasSizeGreaterThan(HOSTS * HOURS);
    assertThat(run(theirs.attach())).as("%s", err).isZero();
    assertThat(out.toString()).contains("attach: read-only");
    assertThat(err.toString()).contains("reads these tables, and writes nothing at all");
    String found = err.toString();
    String readOnly = out.toString();
    assertThat(theirs.look()).as("looked at").isEqualTo(before);

    Path reading = Files.writeString(Files.createTempFile(directory, "reading", ".yaml"), readOnly);
    serve(
        reading,
        varve -> {
          assertThat(metrics(varve)).isEqualTo(Map.of("theirs", HOSTS * HOURS));
          WriteResult refused = varve.write(batch("ours"));
          assertThat(refused.accepted()).isZero();
          assertThat(refused.rejections().getFirst().refusal().message())
              .contains("is attached read-only");
        });
    assertThat(theirs.look()).as("served to be read").isEqualTo(before);
    migrate(reading);
    assertThat(theirs.look()).as("migrated").isEqualTo(before);

    Path writing = directory.resolve(reading.getFileName() + ".co-write");
    assertThat(run(theirs.attach("--co-write", "--write", writing.toString()))).isZero();
    assertThat(err.toString()).contains("writes samples").contains("never makes, alters or drops");
    assertThat(writing).content().contains("attach: co-write");
    assertThat(theirs.look()).as("looked at, to be written").isEqualTo(before);
    serve(writing, varve -> assertThat(varve.write(batch("ours")).rejections()).isEmpty());
    serve(
        reading,
        varve ->
            await()
                .atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(100))
                .untilAsserted(() ->
                    assertThat(metrics(varve))
                        .isEqualTo(Map.of("theirs", HOSTS * HOURS, "ours", HOSTS * HOURS))));
    before.keySet().removeIf(place -> place.startsWith(COUNTED));
    assertThat(theirs.look()).as("written to").containsAllEntriesOf(before);

    out.getBuffer().replace(0, out.getBuffer().length(), readOnly);
    err.getBuffer().replace(0, err.getBuffer().length(), found);
  }

  /** Migrates from tables of which no series is known yet. */
  private void migrate(Path reading) throws IOException {
    Path copy = directory.resolve(reading.getFileName() + ".copy");
    Files.createDirectories(Path.of(copy + ".source"));
    List<String> call = new ArrayList<>(List.of("migrate", "--source-config", reading.toString()));
    call.addAll(List.of("--source-data", copy + ".source", "--data", copy.toString()));
    call.addAll(List.of("--state", copy + ".state", "--output", "csv", "--no-progress"));
    assertThat(run(call)).as("%s", err).isZero();
    // The hours lie on two days.
    assertThat(out.toString())
        .endsWith("%1$d,%1$d,%2$d,%2$d,0,0,0,0%n".formatted(HOSTS * HOURS, HOSTS * 2));
  }

  private interface Use {
    void of(Dataset dataset);
  }

  /** Opens the datasets of a configuration, as a server does. */
  private static void serve(Path file, Use use) {
    String data = directory.resolve(file.getFileName() + ".data").toString();
    VarveConfig config = VarveConfig.read(file, Map.of(), Map.of("data", data));
    try (Engine engine = Engine.open(config.engine())) {
      Dataset dataset = engine.defaultDataset();
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(20))
          .until(dataset::isCatalogComplete);
      use.of(dataset);
    }
  }

  /** Returns the number of samples of each metric. */
  private static Map<String, Integer> metrics(Dataset dataset) {
    Map<String, Integer> samples = new HashMap<>();
    for (String metric : List.of("theirs", "ours")) {
      try (RunCursor cursor =
          dataset.read(ReadRequest.of(Selector.metric(metric), TimeRange.ALL))) {
        for (Run run = cursor.next(); run != null; run = cursor.next()) {
          samples.merge(metric, run.samples().size(), Integer::sum);
        }
      }
    }
    return samples;
  }

  private static Batch batch(String metric) {
    BatchBuilder batch = new BatchBuilder();
    for (int host = 0; host < HOSTS; host++) {
      GroupKey key = GroupKey.of(metric, Tags.of("host", metric + host, "zone", "z" + host % 4));
      for (int hour = 0; hour < HOURS; hour++) {
        batch.add(key, START + hour * HOUR + host, new Value.Real(host + hour / 8.0));
      }
    }
    return batch.build();
  }

  /** Writes into existing tables as their own server does. */
  private static void seed(Theirs theirs, Map<String, String> parameters) throws IOException {
    DatasetConfig dataset =
        new DatasetConfig(
                "seed",
                new StoreConfig(theirs.store.kind(), theirs.options),
                List.of(
                    new PeriodConfig(Instant.MIN, List.of(Layouts.of(theirs.layout, parameters)))),
                null,
                DatasetConfig.Duplicates.LAST,
                Set.of(),
                false)
            .with(
                new Attached(Access.CO_WRITE, theirs.tables, new StoreConfig("rocksdb", Map.of())));
    Path data = Files.createTempDirectory(directory, "seed");
    try (Engine engine =
        Engine.open(new EngineConfig(data, RunningStore.MEMORY, List.of(dataset), "seed"))) {
      assertThat(engine.defaultDataset().write(batch("theirs")).rejections()).isEmpty();
    }
  }

  @Test
  @ResourceLock(BIGTABLE)
  @ResourceLock(CASSANDRA)
  @ResourceLock(HBASE)
  void refusesTablesThatAreOthers() throws Exception {
    hbaseTable("odd", List.of("x"));
    hbaseTable("odd-uid", List.of("id", "name"));
    refuses(
        hbase(Map.of("tsdb", "odd", "tsdb-uid", "odd-uid")),
        "table 'odd' of the hbase store has no family t");
    refuses(hbase(Map.of("tsdb", "absent")), "the store has no table 'absent'");

    try (HeroicTable odd = new HeroicTable(RealStores.bigtable(), "odd").make("x", "events")) {
      refuses(
          new Theirs(
              "heroic",
              RealStores.bigtable(),
              RealStores.bigtable().options(),
              Map.of("metrics", "odd"),
              odd::schema,
              odd::written),
          "has no family 'points', only [events, x]");
    }

    try (CqlSession session = session()) {
      session.execute(
          "CREATE KEYSPACE odd WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
      session.execute(
          "CREATE TABLE odd.data_points (key text, column1 blob, value blob, PRIMARY KEY (key, column1))");
    }
    refuses(
        cassandra("odd"),
        "table 'data_points' of keyspace odd: column key has type text instead of blob");

    refuses(cassandra("absent"), "has no keyspace 'absent' (option keyspace); it has");

    assertThat(run(cassandra("odd").attach("--param", "unit=hours"))).isEqualTo(1);
    assertThat(run(cassandra("odd").attach("--table", "data_point=x"))).isEqualTo(2);
    assertThat(err.toString()).contains("layout 'kairosdb' has no table 'data_point'; it has");
  }

  private void refuses(Theirs theirs, String reason) throws IOException {
    Map<String, String> before = theirs.schema.at();
    assertThat(run(theirs.attach("--co-write"))).isEqualTo(1);
    assertThat(err.toString())
        .contains(reason)
        .contains("no tables that layout '" + theirs.layout + "' can read");
    assertThat(out.toString()).isEmpty();
    assertThat(theirs.schema.at()).isEqualTo(before);
  }

  /** Creates OpenTSDB's tables. */
  private static Theirs openTsdb(String data, String uids) {
    hbaseTable(data, List.of("t"));
    hbaseTable(uids, List.of("id", "name"));
    return hbase(Map.of("tsdb", data, "tsdb-uid", uids));
  }

  private static Theirs hbase(Map<String, String> tables) {
    return new Theirs(
        "opentsdb",
        RealStores.hbase(),
        RealStores.hbase().options(),
        tables,
        AttachIT::descriptors,
        () -> cells(tables));
  }

  /** Creates a table as OpenTSDB's {@code create_table.sh} does. */
  private static void hbaseTable(String name, List<String> families) {
    TableSpec spec =
        new TableSpec(
            name,
            families.stream().map(FamilySpec::latest).toList(),
            Resolution.MILLISECONDS,
            Partitioning.NONE);
    try (Store store = hbase()) {
      store.open(spec, OpenMode.CREATE_IF_ABSENT).close();
    }
  }

  private static Store hbase() {
    return StoreProviders.of("hbase")
        .open(directory.resolve("unused"), RunningStore.MEMORY, RealStores.hbase().options());
  }

  /** Returns the files that describe tables. They get a new name whenever a table is altered. */
  private static Map<String, String> descriptors() throws IOException {
    Path tables = RealStores.hbaseDirectory().resolve("data").resolve("data");
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> files = Files.walk(tables, 4)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (file.toString().contains("/.tabledesc/")) {
          found.put(tables.relativize(file).toString(), Bytes.of(Files.readAllBytes(file)).hex());
        }
      }
    }
    return found;
  }

  private static Map<String, String> cells(Map<String, String> tables) {
    Map<String, String> found = new TreeMap<>();
    try (Store store = hbase()) {
      Map.of("tsdb", new String[] {"t"}, "tsdb-uid", new String[] {"id", "name"})
          .forEach((table, families) -> {
            String name = tables.getOrDefault(table, table);
            for (Cell cell : StoredCells.of(store, name, families)) {
              found.put(
                  "row %s of %s, family %d, column %s"
                      .formatted(cell.row(), name, cell.family(), cell.qualifier()),
                  "%s at %d".formatted(cell.value(), cell.time()));
            }
          });
    }
    return found;
  }

  private static Theirs cassandra(String keyspace) {
    Map<String, String> options = new HashMap<>(RealStores.cassandra().options());
    options.put("keyspace", keyspace);
    return new Theirs(
        "kairosdb",
        RealStores.cassandra(),
        options,
        Map.of(),
        AttachIT::keyspaces,
        () -> rows(keyspace));
  }

  /** Creates a keyspace as KairosDB 1.3 does. */
  private static Theirs kairosDb(String keyspace, String unit) {
    String index = "metric text, table_name text, row_time timestamp, ";
    String ofKey =
        "data_type text, tags frozen<map<text, text>>, mtime timeuuid static, value text, ";
    try (CqlSession session = session()) {
      session.execute(
          "CREATE KEYSPACE %s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
              .formatted(keyspace));
      Map<String, String> tables =
          Map.of(
              "data_points",
              "(key blob, column1 blob, value blob, PRIMARY KEY (key, column1)) WITH COMPACT STORAGE",
              "row_key_index",
              "(key blob, column1 blob, value blob, PRIMARY KEY (key, column1))",
              "string_index",
              "(key blob, column1 text, value blob, PRIMARY KEY (key, column1))",
              "row_key_time_index",
              "(" + index + "value text, PRIMARY KEY (metric, table_name, row_time))",
              "row_keys",
              "("
                  + index
                  + ofKey
                  + "PRIMARY KEY ((metric, table_name, row_time), data_type, tags))",
              "tag_indexed_row_keys",
              "("
                  + index
                  + "single_tag_pair text, tag_collection_hash int, "
                  + ofKey
                  + "PRIMARY KEY ((metric, table_name, row_time, single_tag_pair), data_type, tag_collection_hash, tags))",
              "spec",
              "(spec_type text, name text, value text, PRIMARY KEY (spec_type, name))");
      tables.forEach((table, columns) ->
          session.execute("CREATE TABLE %s.%s %s".formatted(keyspace, table, columns)));
      Map.of("row_time_unit", unit, "row_width", "1814400000")
          .forEach((name, value) ->
              session.execute(
                  "INSERT INTO %s.spec (spec_type, name, value) VALUES ('cluster_config', '%s', '%s')"
                      .formatted(keyspace, name, value)));
    }
    return cassandra(keyspace);
  }

  private static CqlSession session() {
    return CqlSessions.to(RealStores.cassandra().address());
  }

  private static Map<String, String> keyspaces() {
    Map<String, String> found = new TreeMap<>();
    try (CqlSession session = session()) {
      for (KeyspaceMetadata keyspace : session.getMetadata().getKeyspaces().values()) {
        found.put(keyspace.getName().asInternal(), keyspace.describe(false));
        keyspace
            .getTables()
            .forEach((name, table) ->
                found.put(keyspace.getName().asInternal() + "." + name, table.describe(false)));
      }
    }
    return found;
  }

  /**
   * Returns every row of a keyspace with all columns, and the write times of the non-key columns.
   */
  private static Map<String, String> rows(String keyspace) {
    Map<String, String> found = new TreeMap<>();
    try (CqlSession session = session()) {
      KeyspaceMetadata of = session.getMetadata().getKeyspace(keyspace).orElseThrow();
      for (TableMetadata table : of.getTables().values()) {
        List<String> selected = new ArrayList<>();
        table
            .getColumns()
            .forEach((name, column) -> {
              selected.add(name.asCql(true));
              if (!table.getPrimaryKey().contains(column)) {
                selected.add("WRITETIME(" + name.asCql(true) + ")");
              }
            });
        String name = of.getName().asCql(true) + "." + table.getName().asCql(true);
        session
            .execute("SELECT %s FROM %s".formatted(String.join(", ", selected), name))
            .forEach(row -> found.put(name + ": " + row.getFormattedContents(), ""));
      }
    }
    return found;
  }
}

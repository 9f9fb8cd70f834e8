package dev.varve.store.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.varve.devstores.HBaseServer;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Collected;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import dev.varve.store.Upkeep;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The settings of tables in HBase, and which tables are left unchanged. */
class HBaseTablesIT {
  @TempDir private static Path directory;
  private static HBaseServer server;
  private static HBaseStore store;
  private static AsyncConnection connection;

  @BeforeAll
  static void start() throws Exception {
    server = HBaseServer.start(directory.resolve("hbase"));
    HBaseOptions options = HBaseOptions.parse(server.options());
    store = new HBaseStore(options);
    connection = ConnectionFactory.createAsyncConnection(ClientSettings.of(options)).get();
  }

  @AfterAll
  static void stop() throws Exception {
    connection.close();
    store.close();
    server.close();
  }

  private static AsyncAdmin admin() {
    return connection.getAdmin();
  }

  private static ColumnFamilyDescriptor family(String table, String family) throws Exception {
    TableDescriptor found = admin().getDescriptor(TableName.valueOf(table)).get();
    return found.getColumnFamily(family.getBytes(StandardCharsets.UTF_8));
  }

  private static TableSpec spec(String name, Resolution unit, Upkeep upkeep) {
    return new TableSpec(
            name,
            List.of(
                FamilySpec.latest("clock"),
                new FamilySpec("data", TimeUse.DATA, FamilySpec.ALL_VERSIONS)),
            unit,
            Partitioning.NONE)
        .with(upkeep);
  }

  private static Upkeep keeping(Duration retention) {
    return new Upkeep(retention, null, List.of());
  }

  @Test
  void expiresWhatIsTimedByItsWritingInMilliseconds() throws Exception {
    store.open(
        spec("ms", Resolution.MILLISECONDS, keeping(Duration.ofHours(2))),
        OpenMode.CREATE_IF_ABSENT);
    assertThat(family("ms", "clock").getTimeToLive()).isEqualTo(7200);
    assertThat(family("ms", "data").getTimeToLive()).isEqualTo(HConstants.FOREVER);
    assertThat(family("ms", "data").getMaxVersions()).isEqualTo(Integer.MAX_VALUE);
    assertThat(family("ms", "clock").getDataBlockEncoding()).isEqualTo(DataBlockEncoding.FAST_DIFF);
    store.open(
        spec("us", Resolution.MICROSECONDS, keeping(Duration.ofHours(2))),
        OpenMode.CREATE_IF_ABSENT);
    assertThat(family("us", "clock").getTimeToLive()).isEqualTo(HConstants.FOREVER);
  }

  @Test
  void keepsCellsForALongerRetentionUnlessOpenedToBeRead() throws Exception {
    store.open(
        spec("longer", Resolution.MILLISECONDS, keeping(Duration.ofHours(1))),
        OpenMode.CREATE_IF_ABSENT);
    TableSpec longer = spec("longer", Resolution.MILLISECONDS, keeping(Duration.ofHours(3)));
    store.open(longer, OpenMode.READ_ONLY);
    assertThat(family("longer", "clock").getTimeToLive()).isEqualTo(3600);
    store.open(longer, OpenMode.READ_WRITE);
    assertThat(family("longer", "clock").getTimeToLive()).isEqualTo(10_800);
    store.open(spec("longer", Resolution.MILLISECONDS, Upkeep.NONE), OpenMode.READ_WRITE);
    assertThat(family("longer", "clock").getTimeToLive()).isEqualTo(HConstants.FOREVER);
  }

  @Test
  void removesNothingForAShorterRetention() throws Exception {
    TableSpec three = spec("shorter", Resolution.MILLISECONDS, keeping(Duration.ofHours(3)));
    store.open(three, OpenMode.CREATE_IF_ABSENT);
    TableSpec one = spec("shorter", Resolution.MILLISECONDS, keeping(Duration.ofHours(1)));
    store.open(one, OpenMode.READ_WRITE);
    assertThat(family("shorter", "clock").getTimeToLive()).isEqualTo(10_800);
    TableDescriptor found = admin().getDescriptor(TableName.valueOf("shorter")).get();
    assertThat(TableDescription.shorterTimesToLive(one, found))
        .containsExactly(entry("clock", 3600));
    assertThat(TableDescription.shorterTimesToLive(three, found)).isEmpty();
  }

  @Test
  void deletesRowsOfManyPartsAndNothingBeside() {
    Table table =
        store.open(spec("wide", Resolution.MILLISECONDS, Upkeep.NONE), OpenMode.CREATE_IF_ABSENT);
    Bytes wide = Bytes.utf8("wide");
    MutationBatch batch = new MutationBatch();
    for (String row : List.of("wid", "wide", "wide0")) {
      for (int column = 0; column < 2_500; column++) {
        batch.put(Bytes.utf8(row), 0, Bytes.utf8("%05d".formatted(column)), 7, Bytes.EMPTY);
        batch.put(Bytes.utf8(row), 1, Bytes.utf8("%05d".formatted(column)), 7, Bytes.EMPTY);
      }
    }
    assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
    batch.clear();
    batch.deleteQualifiers(wide, 0, Bytes.utf8("00010"), Bytes.utf8("02490"));
    assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
    assertThat(count(table)).isEqualTo(15_000 - 2_480);
    batch.clear();
    batch.deleteFamily(wide, 0);
    batch.deleteFamily(wide, 1);
    batch.put(wide, 1, Bytes.utf8("02000"), 7, Bytes.utf8("again"));
    assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
    assertThat(count(table)).isEqualTo(10_001);
    batch.clear();
    batch.deleteRow(wide);
    assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
    assertThat(count(table)).isEqualTo(10_000);
  }

  @Test
  void deletedCellsAreGoneOnceAllRegionsAreCompacted() throws Exception {
    TableSpec spec =
        new TableSpec(
            "gone", List.of(FamilySpec.latest("d")), Resolution.MILLISECONDS, Partitioning.NONE);
    Table table = store.open(spec, OpenMode.CREATE_IF_ABSENT);
    TableName name = TableName.valueOf("gone");
    MutationBatch batch = new MutationBatch();
    batch.put(Bytes.utf8("r"), 0, Bytes.utf8("q"), 7, Bytes.utf8("secret"));
    assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
    admin().flush(name).get();
    batch.clear();
    batch.deleteRow(Bytes.utf8("r"));
    assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
    Instant deleted = Instant.now();
    assertThat(store.collected(spec, deleted).text())
        .contains("1 of 1 regions", "flush 'gone'", "major_compact 'gone'");
    admin().flush(name).get();
    assertThat(store.collected(spec, deleted).gone()).as("after a flush").isFalse();
    admin().majorCompact(name).get();
    Collected collected = store.collected(spec, deleted);
    for (int tries = 0; tries < 600 && !collected.gone(); tries++) {
      Thread.sleep(100);
      collected = store.collected(spec, deleted);
    }
    assertThat(collected).isEqualTo(Collected.GONE);
    batch.clear();
    batch.put(Bytes.utf8("r"), 0, Bytes.utf8("q"), 8, Bytes.utf8("another"));
    assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
    assertThat(store.collected(spec, Instant.now()).gone()).as("with a new cell").isFalse();
  }

  @Test
  void deletedCellsStayWhereHBaseIsToldToKeepThem() throws Exception {
    TableSpec spec =
        new TableSpec(
            "kept", List.of(FamilySpec.latest("d")), Resolution.MILLISECONDS, Partitioning.NONE);
    store.open(spec, OpenMode.CREATE_IF_ABSENT);
    TableDescriptor found = admin().getDescriptor(TableName.valueOf("kept")).get();
    ColumnFamilyDescriptor keeping =
        ColumnFamilyDescriptorBuilder.newBuilder(found.getColumnFamilies()[0])
            .setKeepDeletedCells(KeepDeletedCells.TRUE)
            .build();
    admin()
        .modifyTable(TableDescriptorBuilder.newBuilder(found).modifyColumnFamily(keeping).build())
        .get();
    assertThat(store.collected(spec, Instant.EPOCH).text())
        .isEqualTo(
            "HBase keeps deleted cells of family 'd', because its KEEP_DELETED_CELLS is TRUE.");
  }

  private static int count(Table table) {
    ReadPlan plan =
        ReadPlan.of(
            List.of(Slice.partition(Bytes.EMPTY)),
            List.of(FamilySelect.all(0), FamilySelect.all(1)));
    int cells = 0;
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        cells += page.size();
      }
    }
    return cells;
  }

  @Test
  void seesTheHigherTimeAndTheLaterOfTwoOfOneTime() {
    Table table =
        store.open(spec("times", Resolution.MILLISECONDS, Upkeep.NONE), OpenMode.CREATE_IF_ABSENT);
    for (long time : new long[] {5, 7, 6, 7}) {
      MutationBatch batch = new MutationBatch();
      batch.put(Bytes.utf8("r"), 0, Bytes.utf8("q"), time, Bytes.utf8("" + time));
      assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
    }
    Power.ConditionalPut puts = table.power(Power.ConditionalPut.class).orElseThrow();
    Cell over = new Cell(Bytes.utf8("r"), 0, Bytes.utf8("q"), 1, Bytes.utf8("over"));
    assertThat(puts.putIf(over, Bytes.utf8("5"))).isFalse();
    assertThat(puts.putIf(over, Bytes.utf8("7"))).isTrue();
    assertThat(puts.putIf(over, Bytes.utf8("7"))).isFalse();
    CellBatch page = new CellBatch();
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.latest(0)));
    try (CellCursor cursor = table.read(plan, null)) {
      assertThat(cursor.next(page)).isTrue();
    }
    assertThat(page.cell(0)).isEqualTo(new Cell(over.row(), 0, over.qualifier(), 7, over.value()));
  }

  @Test
  void valuesThatNobodyWantsStayInHBase() {
    TableSpec spec = spec("keys", Resolution.MILLISECONDS, Upkeep.NONE);
    MutationBatch batch = new MutationBatch();
    batch.put(Bytes.utf8("row"), 0, Bytes.utf8("q"), 5, Bytes.utf8("a value of some length"));
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.latest(0)));
    CellBatch page = new CellBatch();
    try (Table table = store.open(spec, OpenMode.CREATE_IF_ABSENT)) {
      assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
      try (CellCursor cursor = table.read(plan.withoutValues(), null)) {
        assertThat(cursor.next(page)).isTrue();
        assertThat(page.value(0)).isEqualTo(Bytes.EMPTY);
        assertThat(cursor.cost().bytesRead()).as("row and qualifier").isEqualTo(4);
      }
    }
  }

  @Test
  void splitsNewTables() throws Exception {
    List<Bytes> splits = List.of(Bytes.of((byte) 1), Bytes.of((byte) 2));
    store.open(
        spec("split", Resolution.MILLISECONDS, new Upkeep(null, null, splits)),
        OpenMode.CREATE_IF_ABSENT);
    assertThat(admin().getRegions(TableName.valueOf("split")).get()).hasSize(3);
  }

  @Test
  void spellsNamesThatHBaseDoesNotTake() throws Exception {
    store.open(spec(".home", Resolution.MILLISECONDS, Upkeep.NONE), OpenMode.CREATE_IF_ABSENT);
    assertThat(store.tables()).contains(".home");
    assertThat(admin().tableExists(TableName.valueOf("_.home")).get()).isTrue();
    store.drop(".home");
    assertThat(admin().tableExists(TableName.valueOf("_.home")).get()).isFalse();
  }

  @Test
  void leavesTablesOfOthersAsTheyAre() throws Exception {
    TableName name = TableName.valueOf("theirs");
    TableDescriptor made =
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of("clock"))
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of("data"))
            .build();
    admin().createTable(made).get();
    TableDescriptor before = admin().getDescriptor(name).get();
    TableSpec own = spec("theirs", Resolution.MILLISECONDS, keeping(Duration.ofHours(1)));
    assertThat(store.check(own, Set.of()))
        .singleElement()
        .asString()
        .contains("'theirs'", "another program");
    for (OpenMode mode : OpenMode.values()) {
      store.open(own.attached("theirs"), mode).close();
    }
    assertThatThrownBy(() -> store.drop("theirs"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("another program");
    assertThat(admin().getDescriptor(name).get()).isEqualTo(before);
    assertThatThrownBy(() -> store.open(own.attached("absent"), OpenMode.CREATE_IF_ABSENT))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("'absent'");
    TableSpec more =
        new TableSpec(
                "theirs",
                List.of(FamilySpec.latest("clock"), FamilySpec.latest("missing")),
                Resolution.MILLISECONDS,
                Partitioning.NONE)
            .attached("theirs");
    assertThat(store.check(more, Set.of())).singleElement().asString().contains("missing");
  }
}

package dev.varve.store.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.devstores.HBaseServer;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import dev.varve.store.Upkeep;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.HConstants;
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

/** What HBase is told of tables, and which tables are left alone. */
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
    return found.getColumnFamily(family.getBytes(java.nio.charset.StandardCharsets.UTF_8));
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

package dev.varve.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.varve.devstores.CassandraNode;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Collected;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import dev.varve.store.Upkeep;
import dev.varve.store.contract.Gap;
import dev.varve.store.contract.StoreContract;
import dev.varve.store.contract.StoreFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Runs the contract on one node, each test in a keyspace of its own, followed by tests of this
 * store only.
 */
class CassandraContractIT {
  @TempDir private static Path directory;
  private static CassandraNode node;

  @BeforeAll
  static void start() {
    node = CassandraNode.shortLived(directory.resolve("node"));
  }

  @AfterAll
  static void stop() {
    node.kill();
  }

  @TestFactory
  @Execution(ExecutionMode.CONCURRENT)
  List<DynamicNode> cassandraKeepsTheContract() {
    return StoreContract.of(new Fixture(node.options()), directory.resolve("stores"));
  }

  private static Map<String, String> options(String keyspace, String... more) {
    Map<String, String> options = new HashMap<>(node.options());
    options.put("keyspace", keyspace);
    for (int i = 0; i < more.length; i += 2) {
      options.put(more[i], more[i + 1]);
    }
    return options;
  }

  private static TableSpec spec(@Nullable Duration retention) {
    return new TableSpec(
            "t",
            List.of(
                FamilySpec.latest("c"), new FamilySpec("d", TimeUse.DATA, FamilySpec.ALL_VERSIONS)),
            Resolution.MILLISECONDS,
            (bytes, offset, length) -> Math.min(1, length))
        .with(new Upkeep(retention, null, List.of()));
  }

  private static Bytes row(int partition, int row) {
    return Bytes.of(new byte[] {(byte) partition, (byte) row});
  }

  private static int count(Table table, List<Slice> slices) {
    CellBatch page = new CellBatch();
    int cells = 0;
    try (CellCursor cursor =
        table.read(ReadPlan.of(slices, List.of(FamilySelect.all(0), FamilySelect.all(1))), null)) {
      while (cursor.next(page)) {
        cells += page.size();
      }
    }
    return cells;
  }

  @Test
  void readsCellsThatMakeNoPageTogether() {
    try (Store store = new CassandraStore(CassandraOptions.parse(options("heavy")))) {
      Table table = store.open(spec(null), OpenMode.CREATE_IF_ABSENT);
      MutationBatch batch = new MutationBatch();
      Bytes value = Bytes.of(new byte[400 << 10]);
      for (int i = 0; i < 120; i++) {
        batch.put(row(1, i), i % 2, Bytes.EMPTY, 1, value);
      }
      assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
      assertThat(count(table, List.of(Slice.partition(Bytes.of((byte) 1))))).isEqualTo(120);
    }
  }

  @Test
  void letsReadsWaitWhereTooManyAreUnderWay() throws Exception {
    Map<String, String> options = options("many", "requests-in-flight", "3", "retries", "0");
    try (Store store = new CassandraStore(CassandraOptions.parse(options));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Table table = store.open(spec(null), OpenMode.CREATE_IF_ABSENT);
      MutationBatch batch = new MutationBatch();
      List<Slice> slices = new ArrayList<>();
      for (int partition = 0; partition < 32; partition++) {
        batch.put(row(partition, 1), 0, Bytes.EMPTY, 1, Bytes.EMPTY);
        slices.add(Slice.partition(Bytes.of((byte) partition)));
      }
      assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
      List<Future<Integer>> cursors = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        cursors.add(threads.submit(() -> count(table, slices)));
      }
      for (Future<Integer> cursor : cursors) {
        assertThat(cursor.get()).isEqualTo(32);
      }
      assertThat(store.figures().get("reads_in_flight")).isZero();
    }
  }

  @Test
  void passesALongerRetentionOnAndNoShorterOne() {
    CassandraOptions options = CassandraOptions.parse(options("upkeep"));
    try (Store store = new CassandraStore(options);
        Requests asked = new Requests(options)) {
      store.open(spec(Duration.ofDays(10)), OpenMode.CREATE_IF_ABSENT);
      assertThat(lives(asked)).containsOnly(864_000);
      store.open(spec(Duration.ofDays(20)), OpenMode.READ_ONLY);
      assertThat(lives(asked)).containsOnly(864_000);
      store.open(spec(Duration.ofDays(20)), OpenMode.READ_WRITE);
      assertThat(lives(asked)).containsOnly(1_728_000);
      store.open(spec(Duration.ofDays(5)), OpenMode.READ_WRITE);
      assertThat(lives(asked)).containsOnly(1_728_000);
      Table table = store.open(spec(Duration.ofDays(365 * 15)), OpenMode.READ_WRITE);
      assertThat(lives(asked)).containsOnly(0);
      MutationBatch batch = new MutationBatch();
      batch.put(row(1, 1), 0, Bytes.EMPTY, 1, Bytes.EMPTY);
      batch.put(row(1, 1), 1, Bytes.EMPTY, 1, Bytes.EMPTY);
      assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
    }
  }

  @Test
  void namesFromWhenOnDeletedCellsMayGo() {
    CassandraOptions options = CassandraOptions.parse(options("collection"));
    try (Store store = new CassandraStore(options);
        Requests asked = new Requests(options)) {
      TableSpec spec = spec(Duration.ofDays(10));
      store.open(spec, OpenMode.CREATE_IF_ABSENT);
      String table = CqlNames.table(spec.name(), spec.families().getFirst().name());
      asked.execute(
          SimpleStatement.newInstance(
              "ALTER TABLE collection.%s WITH gc_grace_seconds = 1234567".formatted(table)));
      Collected collected = store.collected(spec, Instant.ofEpochSecond(1_000));
      assertThat(collected.gone()).isFalse();
      assertThat(collected.from()).isEqualTo(Instant.ofEpochSecond(1_235_567));
      assertThat(collected.certain()).isFalse();
      assertThat(collected.text())
          .contains("gc_grace_seconds (1234567)", "garbagecollect -g CELL collection " + table);
    }
  }

  /** Returns the default times to live of the families' tables, in seconds. */
  private static Set<Integer> lives(Requests requests) {
    Set<Integer> lives = new HashSet<>();
    for (Row row : schema(requests, "upkeep")) {
      if (!String.valueOf(row.getString("table_name")).equals("varve_tables")) {
        lives.add(row.getInt("default_time_to_live"));
      }
    }
    return lives;
  }

  private static Iterable<Row> schema(Requests requests, String keyspace) {
    return requests
        .execute(
            SimpleStatement.newInstance(
                "SELECT table_name, default_time_to_live FROM system_schema.tables WHERE keyspace_name = ?",
                keyspace))
        .currentPage();
  }

  @Test
  void takesWhatAnotherProcessBeganAndKeepsItFromGoingOn() {
    CassandraOptions options = CassandraOptions.parse(options("claims"));
    try (Requests requests = new Requests(options)) {
      TableCatalog first = new TableCatalog(requests, TableCatalog.MAKING_TIMEOUT);
      first.create(spec(null).named("other"));
      UUID theirs = UUID.randomUUID();
      requests.execute(
          SimpleStatement.newInstance(
              "INSERT INTO claims.varve_tables (part, name, id, ready, unit, families) VALUES ('tables', 't', ?, false, 'ms', 'CLOCK 1 c') IF NOT EXISTS",
              theirs));
      TableEntry made = new TableCatalog(requests, Duration.ofMillis(200)).create(spec(null));
      assertThat(made.id()).isNotEqualTo(theirs);
      assertThat(
              requests
                  .execute(
                      SimpleStatement.newInstance(
                          "UPDATE claims.varve_tables SET ready = true WHERE part = 'tables' AND name = 't' IF id = ?",
                          theirs))
                  .wasApplied())
          .isFalse();
      assertThat(first.find("t")).isNotNull();
      first.drop("t");
      assertThat(first.find("t")).isNull();
      assertThat(first.names()).containsExactly("other");
    }
  }

  @Test
  void saysThatANodeHasNoTls() {
    assertThatThrownBy(
            () -> new CassandraStore(CassandraOptions.parse(options("x", "tls", "true"))))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("option tls)");
  }

  private record Fixture(Map<String, String> node) implements StoreFixture {
    @Override
    public String name() {
      return "cassandra";
    }

    @Override
    public Store open(Path directory) {
      Map<String, String> options = new HashMap<>(node);
      options.put("keyspace", String.valueOf(directory.getFileName()).replace('-', '_'));
      return new CassandraStoreProvider().open(directory, 0, options);
    }

    @Override
    public int oneIn() {
      return 25;
    }

    @Override
    public List<Gap> gaps() {
      return List.of(
          new Gap(
              "shows every row whole",
              "each family is a table of its own, so reading two families takes two reads",
              "different values in a row"));
    }
  }
}

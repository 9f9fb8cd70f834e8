package dev.varve.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.DamagedStoreException;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowSpan;
import dev.varve.store.Slice;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreDamage;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One flipped byte in a table file: what readers and writers learn about it. */
class DamagedTableFileTest {
  private static final TableSpec SPEC =
      new TableSpec(
          "samples", List.of(FamilySpec.latest("c")), Resolution.MILLISECONDS, Partitioning.NONE);
  private static final int ROWS = 2000;

  @TempDir private Path directory;

  @Test
  void indexNamesTheKeysOfEveryBlock() throws Exception {
    writeFiles(1);
    List<SstIndex.Block> blocks = SstIndex.read(DamagedFiles.tables(directory).getFirst()).blocks();
    assertThat(blocks).hasSizeGreaterThan(10);
    assertThat(blocks.getFirst().after()).isNull();
    assertThat(blocks.getFirst().offset()).isZero();
    Bytes before = Bytes.EMPTY;
    for (SstIndex.Block block : blocks) {
      assertThat(KeyFormat.table(block.last())).isBetween(1, 2);
      Bytes last = KeyFormat.row(block.last());
      if (KeyFormat.table(block.last()) == 1) {
        assertThat(last).isGreaterThan(before);
      }
      before = last;
    }
  }

  @Test
  void readThatMeetsADamagedBlockNamesFileAndRows() throws Exception {
    writeFiles(1);
    Path file = DamagedFiles.tables(directory).getFirst();
    SstIndex.Block block = DamagedFiles.flipBlock(file, 5);
    try (RocksStore store = open()) {
      Table table = store.open(SPEC, OpenMode.READ_WRITE);
      RowSpan span =
          new RowSpan(
              "samples",
              KeyFormat.row(Objects.requireNonNull(block.after())),
              KeyFormat.row(block.last()));
      assertThatThrownBy(() -> rows(table))
          .isInstanceOfSatisfying(
              DamagedStoreException.class,
              e -> {
                StoreDamage damage = e.damage().getFirst();
                assertThat(damage.file()).isEqualTo(file.toString());
                assertThat(damage.offset()).isEqualTo(block.offset());
                assertThat(damage.bytes()).isEqualTo(block.size());
                assertThat(damage.rows()).containsExactly(span);
              })
          .hasMessageContaining(file.toString())
          .hasMessageContaining("table 'samples', rows")
          .hasMessageContaining("'varve check'");
      assertThatThrownBy(() -> rows(table)).isInstanceOf(DamagedStoreException.class);
      assertThat(store.damage()).as("met twice, noted once").hasSize(1);
      assertThat(store.figures()).containsEntry("damage_total", 1.0);
      assertThat(store.writeObstacle()).as("writes go on until a compaction meets it").isNull();
      assertThat(put(table, 1, 7)).isEmpty();
    }
  }

  @Test
  void compactionThatMeetsADamagedBlockStopsWritesByName() throws Exception {
    // Opening the store creates the fourth file, which triggers a compaction.
    writeLives(4);
    Path file = DamagedFiles.tables(directory).getFirst();
    DamagedFiles.flipBlock(file, 5);
    try (RocksStore store = open()) {
      Table table = store.open(SPEC, OpenMode.READ_WRITE);
      await().untilAsserted(() -> assertThat(store.damage()).hasSize(1));
      assertThat(store.damage().getFirst().description())
          .contains(file.toString(), "table 'samples', rows ");
      assertThat(store.writeObstacle())
          .contains("takes no writes", file.toString(), "varve check --repair");
      List<RowOutcome> outcomes = put(table, 1, 7);
      assertThat(outcomes).hasSize(1);
      assertThat(outcomes.getFirst().status()).isEqualTo(RowOutcome.Status.NOT_APPLIED);
      assertThat(outcomes.getFirst().reason())
          .contains(file.toString(), "varve check --repair")
          .doesNotContain("space");
    }
  }

  /** Every opening creates a file from the log of the preceding run. */
  private void writeFiles(int files) {
    writeLives(files);
    open().close();
  }

  private void writeLives(int lives) {
    Random random = new Random(3);
    for (int i = 0; i < lives; i++) {
      try (RocksStore store = open()) {
        put(store.open(SPEC, OpenMode.CREATE_IF_ABSENT), ROWS, random.nextInt());
      }
    }
  }

  private static List<RowOutcome> put(Table table, int rows, int seed) {
    Random random = new Random(seed);
    MutationBatch batch = new MutationBatch();
    for (int row = 0; row < rows; row++) {
      byte[] value = new byte[200];
      random.nextBytes(value);
      batch.put(row(row), 0, Bytes.utf8("q"), 7, Bytes.of(value));
    }
    return table.apply(batch, Durability.SYNCED);
  }

  private static Bytes row(int number) {
    return Bytes.utf8("row%06d".formatted(number));
  }

  private static List<Bytes> rows(Table table) {
    List<Bytes> rows = new ArrayList<>();
    CellBatch page = new CellBatch();
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.latest(0)));
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          rows.add(page.row(cell));
        }
      }
    }
    return rows;
  }

  private RocksStore open() {
    return new RocksStore(directory, RocksOptions.DEFAULTS);
  }
}

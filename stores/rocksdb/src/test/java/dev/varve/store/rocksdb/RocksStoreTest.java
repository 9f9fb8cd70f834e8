package dev.varve.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RocksStoreTest {
  private static final TableSpec SPEC =
      new TableSpec(
          "t",
          List.of(
              FamilySpec.latest("c"), new FamilySpec("d", TimeUse.DATA, FamilySpec.ALL_VERSIONS)),
          Resolution.MILLISECONDS,
          Partitioning.NONE);

  @TempDir private Path directory;

  @Test
  void keepsCellsOverAClose() {
    try (RocksStore store = open()) {
      Table table = store.open(SPEC, OpenMode.CREATE_IF_ABSENT);
      MutationBatch batch = new MutationBatch();
      for (String row : List.of("a", "b", "c")) {
        batch.put(Bytes.utf8(row), 0, Bytes.utf8("q"), 7, Bytes.utf8(row + "-latest"));
        batch.put(Bytes.utf8(row), 1, Bytes.utf8("q"), 1, Bytes.utf8(row + "-1"));
        batch.put(Bytes.utf8(row), 1, Bytes.utf8("q"), 2, Bytes.utf8(row + "-2"));
      }
      assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
      assertThat(values(table)).startsWith("a-latest", "a-2", "a-1", "b-latest").hasSize(9);
    }
    try (RocksStore store = open()) {
      assertThat(store.tables()).containsExactly("t");
      assertThat(values(store.open(SPEC, OpenMode.READ_ONLY))).hasSize(9).endsWith("c-2", "c-1");
    }
  }

  @Test
  void saysThatADirectoryIsInUse() {
    try (RocksStore store = open()) {
      assertThat(store.tables()).isEmpty();
      assertThatThrownBy(this::open)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("is in use: a running store");
    }
  }

  private RocksStore open() {
    return new RocksStore(directory, RocksOptions.parse(64L << 20, Map.of()));
  }

  private static List<String> values(Table table) {
    List<String> values = new ArrayList<>();
    CellBatch page = new CellBatch();
    ReadPlan plan =
        ReadPlan.of(
            List.of(Slice.partition(Bytes.EMPTY)),
            List.of(FamilySelect.all(0), FamilySelect.all(1)));
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          values.add(page.value(i).toUtf8());
        }
      }
    }
    return values;
  }
}

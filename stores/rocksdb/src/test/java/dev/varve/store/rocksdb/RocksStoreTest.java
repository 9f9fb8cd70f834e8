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
import dev.varve.store.LaterFormatException;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksIterator;

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

  @Test
  void saysThatAnotherProcessUsesTheDirectory() throws Exception {
    Files.createDirectories(directory.resolve("sub"));
    Path lock = Files.createFile(directory.resolve("sub/LOCK"));
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                LockHolder.class.getName(),
                lock.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertThat(other.getInputStream().read())
          .as("the other process holds the lock")
          .isEqualTo('L');
      assertThatThrownBy(() -> new RocksStore(directory.resolve("sub"), RocksOptions.DEFAULTS))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("is in use: a running store");
    } finally {
      other.destroy();
      other.waitFor();
    }
    new RocksStore(directory.resolve("sub"), RocksOptions.DEFAULTS).close();
  }

  @Test
  void saysThatADirectoryCannotBeMade() throws Exception {
    Path file = Files.createFile(directory.resolve("file"));
    assertThatThrownBy(() -> new RocksStore(file.resolve("data"), RocksOptions.DEFAULTS))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("cannot make the directory");
  }

  @Test
  void refusesTheFormatOfAnotherVersion() throws Exception {
    open().close();
    NativeHandles handles = new NativeHandles();
    try (Database database = new Database(directory, RocksOptions.DEFAULTS, handles)) {
      WriteRecords records = new WriteRecords(64);
      GrowingBytes key = new GrowingBytes(8);
      key.add(Bytes.utf8("format"));
      records.put(database.catalogFamily(), key, 1).addByte('9');
      database.write(records);
    }
    assertThat(handles.live()).isZero();
    assertThatThrownBy(this::open)
        .isInstanceOf(LaterFormatException.class)
        .hasMessage(
            "the rocksdb store in %s has format 9, but this version reads format 1: use a later version",
            directory);
    assertThatThrownBy(this::open).as("the lock is free again").hasMessageContaining("format 9");
  }

  @Test
  void deletesVersionsBeyondThoseKeptOnceAReadHasFoundThem() throws Exception {
    TableSpec two =
        new TableSpec(
            "two",
            List.of(new FamilySpec("f", TimeUse.DATA, 2)),
            Resolution.MILLISECONDS,
            Partitioning.NONE);
    try (RocksStore store = open()) {
      Table table = store.open(two, OpenMode.CREATE_IF_ABSENT);
      MutationBatch batch = new MutationBatch();
      for (int time = 0; time < 50; time++) {
        batch.put(Bytes.utf8("a"), 0, Bytes.utf8("q"), time, Bytes.utf8("a" + time));
        batch.put(Bytes.utf8("b"), 0, Bytes.utf8("q"), time, Bytes.utf8("b" + time));
      }
      assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
      ReadPlan all =
          ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.all(0)));
      assertThat(cellKeys(store)).isEqualTo(100);
      assertThat(values(table, all)).containsExactly("a49", "a48", "b49", "b48");
      awaitWriter(store);
      assertThat(cellKeys(store)).isEqualTo(4);
      assertThat(values(table, all)).containsExactly("a49", "a48", "b49", "b48");
    }
  }

  @Test
  void writesGoOnOnceTheStateCanBeWrittenAgain() throws Exception {
    try (RocksStore store = open()) {
      Table table = store.open(SPEC, OpenMode.CREATE_IF_ABSENT);
      // The state is written to this file first, as soon as there is a new log.
      Path draft = Files.createDirectory(directory.resolve("varve-state.new"));
      store.database().flush();
      MutationBatch batch = new MutationBatch();
      batch.put(Bytes.utf8("row"), 0, Bytes.utf8("q"), 1, Bytes.utf8("value"));
      assertThat(table.apply(batch, Durability.SYNCED))
          .singleElement()
          .asString()
          .contains("cannot write the state of the rocksdb store", "unknown");
      assertThat(store.writeObstacle()).contains("cannot write the state");
      Files.delete(draft);
      assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
      assertThat(store.writeObstacle()).isNull();
    }
  }

  /** Waits until the writer has completed everything submitted before. */
  private static void awaitWriter(RocksStore store) {
    store.writer().submit(() -> new WriteRecords(0), Durability.ORDERED).await();
  }

  private static int cellKeys(RocksStore store) {
    int keys = 0;
    try (RocksIterator iterator = store.database().cells()) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        keys++;
      }
    }
    return keys;
  }

  private RocksStore open() {
    return new RocksStore(directory, RocksOptions.parse(64L << 20, Map.of()));
  }

  private static List<String> values(Table table) {
    return values(
        table,
        ReadPlan.of(
            List.of(Slice.partition(Bytes.EMPTY)),
            List.of(FamilySelect.all(0), FamilySelect.all(1))));
  }

  private static List<String> values(Table table, ReadPlan plan) {
    List<String> values = new ArrayList<>();
    CellBatch page = new CellBatch();
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

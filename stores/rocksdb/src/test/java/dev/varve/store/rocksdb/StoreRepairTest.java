package dev.varve.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.DamagedStoreException;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.FileCheck;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowSpan;
import dev.varve.store.Slice;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreDamage;
import dev.varve.store.StoreProvider.Salvage;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Repairs of stores with a damaged or missing file: what is kept, and what is reported as lost. */
class StoreRepairTest {
  private static final TableSpec SPEC =
      new TableSpec(
          "samples", List.of(FamilySpec.latest("c")), Resolution.MILLISECONDS, Partitioning.NONE);
  private static final int ROWS = 3000;
  private static final int LIVES = 5;

  @TempDir private Path directory;

  /** The rows that were written and not deleted. */
  private final SortedMap<Bytes, Bytes> truth = new TreeMap<>();

  /** Every value that a row ever had. */
  private final Map<Bytes, List<Bytes>> history = new HashMap<>();

  private final Random random = new Random(11);

  @BeforeEach
  void write() {
    for (int life = 0; life < LIVES; life++) {
      try (RocksStore store = open()) {
        Table table = store.open(SPEC, OpenMode.CREATE_IF_ABSENT);
        for (int batch = 0; batch < 3; batch++) {
          change(table);
        }
      }
    }
  }

  private void change(Table table) {
    MutationBatch edits = new MutationBatch();
    for (int i = 0; i < ROWS / 4; i++) {
      Bytes row = row(random.nextInt(ROWS));
      switch (random.nextInt(20)) {
        case 0 -> {
          edits.deleteRow(row);
          truth.remove(row);
        }
        case 1 -> {
          edits.deleteColumn(row, 0, Bytes.utf8("q"), TimeRange.ALL);
          truth.remove(row);
        }
        default -> {
          byte[] value = new byte[100];
          random.nextBytes(value);
          Arrays.fill(value, 0, 60, (byte) 7);
          edits.put(row, 0, Bytes.utf8("q"), 7, Bytes.of(value));
          truth.put(row, Bytes.of(value));
          history.computeIfAbsent(row, key -> new ArrayList<>()).add(Bytes.of(value));
        }
      }
    }
    assertThat(table.apply(edits, Durability.SYNCED)).allMatch(outcome -> outcome.applied());
  }

  @Test
  void leavesASoundStoreAlone() throws IOException {
    assertThat(repair()).isEmpty();
    assertThat(all()).isEqualTo(truth);
    assertThat(asides()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CURRENT",
        "MANIFEST",
        "OPTIONS",
        "IDENTITY",
        "LOCK",
        "varve-state",
        "varve-tables"
      })
  void nothingIsLostWhereAFileBesideTheCellsIsGone(String name) throws IOException {
    delete(name);
    List<StoreDamage> damage = repair();
    assertThat(damage).hasSize(List.of("CURRENT", "MANIFEST").contains(name) ? 1 : 0);
    assertThat(all()).isEqualTo(truth);
    assertThat(repair()).isEmpty();
  }

  @Test
  void copiesEveryCellOfAStoreWithoutManifest() throws IOException {
    delete("CURRENT");
    delete("MANIFEST");
    delete("varve-state");
    assertThatThrownBy(this::open)
        .isInstanceOf(DamagedStoreException.class)
        .hasMessageContaining("varve check --repair");
    assertThat(repair())
        .singleElement()
        .satisfies(damage -> assertThat(damage.description()).contains("the MANIFEST is missing"));
    assertThat(all()).isEqualTo(truth);
    assertThat(asides()).hasSize(1);
    assertThat(asides().getFirst().resolve("REPORT")).exists();
  }

  @Test
  void aDamagedCopyOfTheListOfTablesIsNotUsed() throws IOException {
    DamagedFiles.flip(directory.resolve(TableList.NAME), 3);
    delete("CURRENT");
    delete("MANIFEST");
    delete("varve-state");
    assertThat(repair()).hasSize(1);
    assertThat(all()).isEqualTo(truth);
  }

  @Test
  void keepsAllButADamagedBlock() throws Exception {
    Path file = DamagedFiles.tables(directory).getFirst();
    SstIndex.Block block = DamagedFiles.flipBlock(file, 5);
    byte[] damagedFile = Files.readAllBytes(file);
    List<StoreDamage> damage = repair();
    assertThat(damage).hasSize(1);
    RowSpan span = damage.getFirst().rows().getFirst();
    assertThat(span.table()).isEqualTo("samples");
    assertThat(damage.getFirst().offset()).isEqualTo(block.offset());
    assertThat(damage.getFirst().description()).contains(file.toString(), "is lost", "is kept in ");
    SortedMap<Bytes, Bytes> left = all();
    assertEqualBut(left, List.of(span));
    assertThat(left.size()).isBetween(truth.size() - 200, truth.size());
    Path kept =
        Path.of(Objects.requireNonNull(damage.getFirst().keptIn())).resolve(file.getFileName());
    assertThat(Files.readAllBytes(kept)).isEqualTo(damagedFile);
    assertThat(repair()).isEmpty();
    assertThat(all()).isEqualTo(left);
  }

  @ParameterizedTest
  @ValueSource(strings = {"delete", "truncate", "empty", "footer", "index"})
  void keepsAllButADamagedFile(String how) throws Exception {
    Path file = DamagedFiles.tables(directory).getFirst();
    long size = Files.size(file);
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      switch (how) {
        case "truncate" -> bytes.setLength(size / 2);
        case "empty" -> bytes.setLength(0);
        default -> {}
      }
    }
    switch (how) {
      case "delete" -> Files.delete(file);
      case "footer" -> DamagedFiles.flip(file, size - 20);
      case "index" -> {
        SstIndex.Block last = SstIndex.read(file).blocks().getLast();
        DamagedFiles.flip(file, last.offset() + last.size() + 20);
      }
      default -> {}
    }
    List<StoreDamage> damage = repair();
    assertThat(damage).hasSize(1);
    assertThat(damage.getFirst().file()).isEqualTo(file.toString());
    if (how.equals("footer")) {
      assertThat(damage.getFirst().description()).contains("all of its cells could be read");
      assertThat(all()).isEqualTo(truth);
    } else {
      assertEqualBut(all(), damage.getFirst().rows());
    }
    assertThat(repair()).isEmpty();
  }

  @Test
  void takesTheListOfTablesFromItsCopy() throws Exception {
    // The list occupies a file of its own, which is the smallest.
    Path file = DamagedFiles.tables(directory).getLast();
    DamagedFiles.flip(file, 20);
    assertThatThrownBy(this::open).hasMessageContaining("varve check");
    assertThat(repair())
        .singleElement()
        .satisfies(
            damage -> assertThat(damage.description()).contains("it held the list of tables"));
    assertThat(all()).isEqualTo(truth);
  }

  @Test
  void aDamagedCopyNamesNoTablesIfTheListIsLostToo() throws Exception {
    Path copy = directory.resolve(TableList.NAME);
    // Another digit: the line can still be read, and would name a wrong table.
    String text = Files.readString(copy, StandardCharsets.US_ASCII);
    char first = text.charAt(0);
    Files.writeString(copy, (first == '0' ? '1' : '0') + text.substring(1));
    DamagedFiles.flip(DamagedFiles.tables(directory).getLast(), 20);
    assertThat(repair()).isNotEmpty();
    try (RocksStore store = open()) {
      assertThat(store.tables()).isEmpty();
    }
  }

  @Test
  void endsARepairThatWasKilled() throws Exception {
    delete("MANIFEST");
    RepairSwap swap = new RepairSwap(directory);
    // Simulates a repair that was killed after it had moved half of the old files.
    assertThat(repairUntil("out")).isTrue();
    assertThatThrownBy(this::open)
        .isInstanceOf(DamagedStoreException.class)
        .hasMessageContaining("'varve check --repair' again");
    assertThat(swap.draft()).isDirectory();
    assertThat(repair())
        .singleElement()
        .satisfies(damage ->
            assertThat(damage.description()).contains("an earlier repair was interrupted"));
    assertThat(all()).isEqualTo(truth);
    assertThat(swap.draft()).doesNotExist();
  }

  /**
   * Repairs a directory, and then restores the state in which a killed process would have left it.
   */
  private boolean repairUntil(String step) throws IOException {
    Path before = directory.resolveSibling(directory.getFileName() + "-before");
    copy(directory, before);
    repair();
    Path aside = asides().getFirst();
    Path draft = directory.resolve("repair-draft");
    Files.createDirectory(draft);
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (!file.endsWith("LOCK")) {
          Files.move(file, draft.resolve(file.getFileName()));
        }
      }
    }
    int moved = 0;
    try (Stream<Path> files = Files.list(aside)) {
      for (Path file : files.toList()) {
        if (moved++ % 2 == 0) {
          Files.move(file, directory.resolve(file.getFileName()));
        }
      }
    }
    Files.writeString(directory.resolve("varve-repair"), step + " " + aside.getFileName() + "\n");
    return moved > 3;
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  /**
   * Asserts that all rows outside the spans are as written, and that those inside have a former
   * value.
   */
  private void assertEqualBut(SortedMap<Bytes, Bytes> left, List<RowSpan> lost) {
    assertThat(lost).isNotEmpty();
    left.forEach((row, value) -> assertThat(history.get(row)).contains(value));
    SortedMap<Bytes, Bytes> outside = new TreeMap<>(left);
    SortedMap<Bytes, Bytes> expected = new TreeMap<>(truth);
    outside.keySet().removeIf(row -> lost.stream().anyMatch(span -> span.contains(row)));
    expected.keySet().removeIf(row -> lost.stream().anyMatch(span -> span.contains(row)));
    assertThat(outside).isEqualTo(expected);
  }

  private void delete(String prefix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        if (String.valueOf(file.getFileName()).startsWith(prefix)) {
          Files.delete(file);
        }
      }
    }
  }

  private List<Path> asides() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> String.valueOf(file.getFileName()).startsWith("damaged-"))
          .toList();
    }
  }

  private List<StoreDamage> repair() {
    return StoreRepair.run(
        directory,
        RocksOptions.DEFAULTS,
        Salvage.ALL_READABLE,
        new FileCheck() {
          @Override
          public void reading(String file, long bytes) {}

          @Override
          public void damaged(StoreDamage damage) {}
        });
  }

  private SortedMap<Bytes, Bytes> all() {
    SortedMap<Bytes, Bytes> cells = new TreeMap<>();
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.latest(0)));
    try (RocksStore store = open();
        CellCursor cursor = store.open(SPEC, OpenMode.READ_WRITE).read(plan, null)) {
      CellBatch page = new CellBatch();
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          cells.put(page.row(cell), page.value(cell));
        }
      }
    }
    return cells;
  }

  private static Bytes row(int number) {
    return Bytes.utf8("row%06d".formatted(number));
  }

  private RocksStore open() {
    return new RocksStore(directory, RocksOptions.DEFAULTS);
  }
}

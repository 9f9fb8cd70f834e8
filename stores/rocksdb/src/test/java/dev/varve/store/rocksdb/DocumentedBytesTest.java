package dev.varve.store.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.SizeLimits;
import dev.varve.store.Slice;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** The statements of docs/stores about this store are correct. */
class DocumentedBytesTest {
  private static final Path DOCS = Path.of("../../docs/stores");
  private static final Pattern EXAMPLE =
      Pattern.compile(
          """
          cell +row (\\w+) +family (\\d) +qualifier (\\w*) +time (-?\\d+) +value ?(\\w*)
          key +([\\w ]+)
          value +([\\w ]+)
          """);
  private static final TableSpec SPEC =
      new TableSpec(
          "example",
          List.of(
              FamilySpec.latest("latest"),
              new FamilySpec("points", TimeUse.DATA, FamilySpec.ALL_VERSIONS)),
          Resolution.MILLISECONDS,
          Partitioning.NONE);

  private record Example(Cell cell, Bytes key, Bytes value) {}

  @TempDir private Path directory;

  @Test
  void examplesAreWrittenAndReadAsThePageSays() throws IOException, RocksDBException {
    List<Example> examples = examples();
    assertThat(examples).hasSize(4);
    try (RocksStore store = new RocksStore(directory, RocksOptions.DEFAULTS)) {
      Table table = store.open(SPEC, OpenMode.CREATE_IF_ABSENT);
      MutationBatch batch = new MutationBatch();
      Map<Bytes, Bytes> expected = new TreeMap<>();
      for (Example example : examples) {
        Cell cell = example.cell();
        batch.put(cell.row(), cell.family(), cell.qualifier(), cell.time(), cell.value());
        expected.put(example.key(), example.value());
      }
      assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
      assertThat(stored(store)).isEqualTo(expected);
    }
  }

  @Test
  void examplesPutByOthersAreRead() throws IOException, RocksDBException {
    try (RocksStore store = new RocksStore(directory, RocksOptions.DEFAULTS)) {
      Table table = store.open(SPEC, OpenMode.CREATE_IF_ABSENT);
      WriteRecords records = new WriteRecords(0);
      for (Example example : examples()) {
        GrowingBytes key = new GrowingBytes(8);
        key.add(example.key());
        records
            .put(store.database().cellsFamily(), key, example.value().length())
            .add(example.value());
      }
      store.database().write(records);
      assertThat(cells(table))
          .containsExactlyInAnyOrderElementsOf(examples().stream().map(Example::cell).toList());
    }
  }

  @Test
  void limitsAreThoseOfThePage() throws IOException {
    String page = Files.readString(DOCS.resolve("README.md"));
    try (RocksStore store = new RocksStore(directory, RocksOptions.DEFAULTS)) {
      SizeLimits limits = store.capabilities(SPEC).limits();
      assertThat(page)
          .contains("| 1 to %,d | 1 to %<,d |".formatted(limits.rowKey()))
          .contains("| 0 to %,d | 0 to %<,d |".formatted(limits.qualifier()))
          .contains("| soft %,d; hard %,d |".formatted(limits.softValue(), limits.hardValue()))
          .contains("| soft %,d | soft %<,d |".formatted(limits.softRow()))
          .contains("| %,d | %<,d |".formatted(limits.editsPerRow()))
          .contains("| %d advised | %<d advised, 255 possible |".formatted(limits.families()));
      String own = Files.readString(DOCS.resolve("rocksdb.md"));
      assertThat(store.figures().keySet()).allSatisfy(name -> assertThat(own).contains(name));
    }
  }

  private static List<Example> examples() throws IOException {
    List<Example> examples = new ArrayList<>();
    Matcher matcher = EXAMPLE.matcher(Files.readString(DOCS.resolve("rocksdb.md")));
    while (matcher.find()) {
      Cell cell =
          new Cell(
              hex(matcher.group(1)),
              Integer.parseInt(matcher.group(2)),
              hex(matcher.group(3)),
              Long.parseLong(matcher.group(4)),
              hex(matcher.group(5)));
      examples.add(new Example(cell, hex(matcher.group(6)), hex(matcher.group(7))));
    }
    return examples;
  }

  private static Bytes hex(String text) {
    return Bytes.fromHex(text.replace(" ", ""));
  }

  private static Map<Bytes, Bytes> stored(RocksStore store) throws RocksDBException {
    Map<Bytes, Bytes> stored = new TreeMap<>();
    try (RocksIterator iterator = store.database().cells()) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        stored.put(Bytes.of(iterator.key()), Bytes.of(iterator.value()));
      }
      iterator.status();
    }
    return stored;
  }

  private static List<Cell> cells(Table table) {
    ReadPlan all =
        ReadPlan.of(
            List.of(Slice.partition(Bytes.EMPTY)),
            List.of(FamilySelect.all(0), FamilySelect.all(1)));
    List<Cell> cells = new ArrayList<>();
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(all, null)) {
      while (cursor.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          cells.add(page.cell(i));
        }
      }
    }
    return cells;
  }
}

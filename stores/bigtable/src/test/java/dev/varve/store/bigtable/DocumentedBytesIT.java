package dev.varve.store.bigtable;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.bigtable.data.v2.models.Query;
import com.google.cloud.bigtable.data.v2.models.Row;
import com.google.cloud.bigtable.data.v2.models.TableId;
import com.google.protobuf.ByteString;
import dev.varve.devstores.BigtableEmulator;
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
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The statements of docs/stores about this store are correct. */
class DocumentedBytesIT {
  private static final Path PAGE = Path.of("../../docs/stores/bigtable.md");
  private static final Pattern BLOCK = Pattern.compile("```cells\n(.*?)```", Pattern.DOTALL);
  private static final Pattern EXAMPLE =
      Pattern.compile(
          """
          cell +row (\\w+) +family (\\w+) +qualifier (\\w*) +time (\\d+) +value ?(\\w*)
          bigtable +timestamp (\\d+) +value ([\\w ]+)
          """);

  private record Example(Cell cell, String stored) {}

  @TempDir private Path directory;

  private static TableSpec spec(Resolution unit) {
    List<FamilySpec> families = new ArrayList<>(List.of(FamilySpec.latest("latest")));
    if (unit == Resolution.MILLISECONDS) {
      families.add(new FamilySpec("points", TimeUse.DATA, FamilySpec.ALL_VERSIONS));
    }
    return new TableSpec("in-" + unit.symbol(), families, unit, Partitioning.NONE);
  }

  @Test
  void examplesAreWrittenAndReadAsThePageSays() throws IOException {
    String page = Files.readString(PAGE);
    Matcher blocks = BLOCK.matcher(page);
    try (BigtableEmulator emulator = BigtableEmulator.start(directory);
        Store store = new BigtableStoreProvider().open(directory, 0, emulator.options());
        Clients clients = Clients.open(BigtableOptions.parse(emulator.options()))) {
      for (Resolution unit : List.of(Resolution.MICROSECONDS, Resolution.MILLISECONDS)) {
        assertThat(blocks.find()).as("examples in %s", unit).isTrue();
        TableSpec spec = spec(unit);
        List<Example> examples = examples(blocks.group(1), spec);
        assertThat(examples).hasSize(2);
        Table table = store.open(spec, Store.OpenMode.CREATE_IF_ABSENT);
        MutationBatch batch = new MutationBatch();
        for (Example example : examples) {
          Cell cell = example.cell();
          batch.put(cell.row(), cell.family(), cell.qualifier(), cell.time(), cell.value());
        }
        assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
        assertThat(stored(clients, "varve-in-" + unit.symbol()))
            .containsExactlyInAnyOrderElementsOf(examples.stream().map(Example::stored).toList());
        assertThat(cells(table, spec))
            .containsExactlyInAnyOrderElementsOf(examples.stream().map(Example::cell).toList());
      }
      Row entry = clients.data().readRow(TableId.of("varve-.varve"), "in-ms");
      assertThat(entry.getCells("t", "spec").getFirst().getValue().toStringUtf8())
          .isEqualTo("format 1\nunit ms\nfamily CLOCK 1 latest\nfamily DATA all points\n");
      assertThat(page).contains("    family CLOCK 1 latest\n    family DATA all points\n");
      assertThat(store.figures().keySet()).allSatisfy(name -> assertThat(page).contains(name));
      assertLimits(page, store);
    }
  }

  private static void assertLimits(String page, Store store) {
    SizeLimits limits = store.capabilities(spec(Resolution.MILLISECONDS)).limits();
    for (String row :
        List.of(
            "| row key | 1 to %,d bytes |".formatted(limits.rowKey()),
            "| qualifier | 0 to %,d bytes |".formatted(limits.qualifier()),
            "| value | soft %,d bytes; hard %,d, eight less"
                .formatted(limits.softValue(), limits.hardValue()),
            "| row | soft %,d bytes; hard %,d, ".formatted(limits.softRow(), limits.hardRow()),
            "| families | %d |".formatted(limits.families()),
            "| edits of one mutation | %,d |".formatted(limits.editsPerRow()))) {
      assertThat(page).contains(row);
    }
    assertThat(store.capabilities(spec(Resolution.MICROSECONDS)).limits().hardValue())
        .isEqualTo(limits.hardValue() - 8);
  }

  private static List<Example> examples(String block, TableSpec spec) {
    List<Example> examples = new ArrayList<>();
    Matcher matcher = EXAMPLE.matcher(block);
    while (matcher.find()) {
      Cell cell =
          new Cell(
              Bytes.fromHex(matcher.group(1)),
              spec.familyIndex(matcher.group(2)),
              Bytes.fromHex(matcher.group(3)),
              Long.parseLong(matcher.group(4)),
              Bytes.fromHex(matcher.group(5)));
      String stored =
          stored(
              cell.row(),
              matcher.group(2),
              cell.qualifier(),
              Long.parseLong(matcher.group(6)),
              Bytes.fromHex(matcher.group(7).replace(" ", "")));
      examples.add(new Example(cell, stored));
    }
    return examples;
  }

  private static String stored(
      Bytes row, String family, Bytes qualifier, long timestamp, Bytes value) {
    return String.format(Locale.ROOT, "%s %s:%s @%d %s", row, family, qualifier, timestamp, value);
  }

  private static List<String> stored(Clients clients, String table) {
    List<String> stored = new ArrayList<>();
    for (Row row : clients.data().readRows(Query.create(TableId.of(table)))) {
      row.getCells()
          .forEach(cell ->
              stored.add(
                  stored(
                      bytes(row.getKey()),
                      cell.getFamily(),
                      bytes(cell.getQualifier()),
                      cell.getTimestamp(),
                      bytes(cell.getValue()))));
    }
    return stored;
  }

  private static Bytes bytes(ByteString bytes) {
    return Bytes.of(bytes.toByteArray());
  }

  private static List<Cell> cells(Table table, TableSpec spec) {
    List<FamilySelect> families = new ArrayList<>();
    for (int i = 0; i < spec.families().size(); i++) {
      families.add(FamilySelect.all(i));
    }
    List<Cell> cells = new ArrayList<>();
    CellBatch page = new CellBatch();
    try (CellCursor cursor =
        table.read(ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), families), null)) {
      while (cursor.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          cells.add(page.cell(i));
        }
      }
    }
    return cells;
  }
}

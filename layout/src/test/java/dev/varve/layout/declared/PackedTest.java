package dev.varve.layout.declared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.Layout;
import dev.varve.layout.ReadScope;
import dev.varve.layout.RowSamples;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PackedTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("k", "v"));
  private static final String PAGE_VALUE = "0101610211010162023078";

  private final Layout layout = Layouts.of("single-timestamp-packed", Map.of());

  private Cells written() {
    BatchBuilder batch =
        new BatchBuilder()
            .add(KEY, "b", 1000, new Value.Text("x"))
            .add(KEY, "a", 1000, new Value.Int64(1));
    return new Cells(layout).add(batch.build().groups().getFirst(), 1);
  }

  @Test
  void allFieldsOfAnInstantAreOneCellInTheOrderOfTheirNames() throws IOException {
    List<Cell> cells = written().stored();
    assertThat(cells).hasSize(1);
    assertThat(cells.getFirst().value().hex()).isEqualTo(PAGE_VALUE);
    assertThat(Files.readString(Path.of("../docs/layouts/declared.md")))
        .contains("| a = 1, b = \"x\" | `01 01 61 02 11 01 01 62 02 30 78` |");
  }

  @Test
  void fieldsOfKindsToComeAreSkippedAndTheOthersRead() {
    // The value of field "a" begins with 8f, of which this reader knows only its length.
    RowSamples row = decode("01" + "0161038fabcd" + "0162023078");
    assertThat(row.damages()).isEmpty();
    assertThat(row.vectors())
        .singleElement()
        .satisfies(vector -> {
          assertThat(vector.field()).isEqualTo("b");
          assertThat(vector.samples().textAt(0)).isEqualTo("x");
        });
  }

  @ParameterizedTest
  @CsvSource({
    "'', 'value: empty, expected packed fields'",
    "02, 'value: packed fields of version 2, expected version 1'",
    "01, 'value: no fields'",
    "010261, 'value, byte 1: not a field name'",
    "010161, 'value, byte 3: a field without a value'",
    "01016100, 'value, byte 3: a field without a value'",
    "0101610311, 'value, byte 3: a field without a value'",
    "010161021101016102110201, 'value, byte 7: field names are out of order'",
    "0101620211010161021101, 'value, byte 7: field names are out of order'"
  })
  void damagedFieldsAreRefusedWhole(String hex, String reason) {
    RowSamples row = decode(hex);
    assertThat(row.damages()).extracting(RowSamples.Damage::reason).containsExactly(reason);
    assertThat(row.vectors()).allSatisfy(vector -> assertThat(vector.samples().isEmpty()).isTrue());
  }

  @Test
  void aLaterWriteOfOtherFieldsStandsBesideTheFirst() {
    Cells cells = written();
    BatchBuilder more = new BatchBuilder().add(KEY, "c", 1000, new Value.Real(0.5));
    cells.add(more.build().groups().getFirst(), 2);
    assertThat(cells.stored()).hasSize(2);
    assertThat(layout.select(ReadScope.of(TimeRange.ALL)))
        .singleElement()
        .satisfies(select -> assertThat(select.versions()).isEqualTo(FamilySpec.ALL_VERSIONS));
  }

  private RowSamples decode(String hex) {
    Cell written = written().stored().getFirst();
    CellBatch batch = new CellBatch();
    batch.add(new Cell(written.row(), 0, written.qualifier(), 1, Bytes.fromHex(hex)));
    RowSamples row = new RowSamples();
    layout.decode(batch, 0, 1, row);
    return row;
  }
}

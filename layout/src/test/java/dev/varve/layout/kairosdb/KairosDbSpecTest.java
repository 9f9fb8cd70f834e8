package dev.varve.layout.kairosdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.RefusedException;
import dev.varve.layout.Step;
import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KairosDbSpecTest {
  private final Keyspace keyspace = new Keyspace(KairosDbLayout.of(Map.of()));

  @Test
  void isWhatTheOriginalWritesIntoANewKeyspace() {
    List<Step.TableCell> missing = opening(Map.of());
    assertThat(missing).extracting(Step.TableCell::table).containsOnly(Tables.SPEC);
    List<String> said = new ArrayList<>();
    for (Step.TableCell cell : missing) {
      IndexReader.Columns columns = IndexReader.spec(cell.cell());
      said.add(
          columns.text(Tables.SPEC_TYPE)
              + "\t"
              + columns.text(Tables.SPEC_NAME)
              + "\t"
              + cell.cell().value().toUtf8());
    }
    assertThat(said)
        .containsExactlyElementsOf(
            Facts.of("kairosdb-cells.tsv", "spec").stream()
                .map(fact -> String.join("\t", fact))
                .toList());
  }

  @Test
  void isWrittenOnce() {
    for (Map<String, String> parameters :
        List.of(Map.of("unit", "seconds"), Map.of("unit", "seconds", "rowWidth", "1814400"))) {
      opening(parameters).forEach(cell -> keyspace.put(cell.table(), cell.cell()));
      assertThat(opening(parameters)).isEmpty();
    }
  }

  @Test
  void winsOverTheParameters() {
    opening(Map.of("unit", "legacy")).forEach(cell -> keyspace.put(cell.table(), cell.cell()));
    refused(
        Map.of(),
        "the keyspace has row_time_unit LEGACY according to its table spec: unit should be legacy,"
            + " but is milliseconds");
    refused(
        Map.of("unit", "legacy", "rowWidth", "1000"),
        "the keyspace has row_width 1814400000 according to its table spec: rowWidth should be"
            + " 1814400000, but is 1000");
  }

  @Test
  void isLegacyWhereAnEarlierVersionHasWritten() {
    keyspace.put(
        Tables.STRING_INDEX,
        new Cell(Tables.METRIC_NAMES, 0, Bytes.utf8("m"), 0, Bytes.of((byte) 0)));
    refused(
        Map.of(),
        "the keyspace has metrics but its table spec has no row_time_unit, so a version before 1.3"
            + " wrote it and its columns are shifted: unit should be legacy, but is milliseconds");
    assertThat(opening(Map.of("unit", "legacy"))).hasSize(2);
  }

  private void refused(Map<String, String> parameters, String reason) {
    assertThatThrownBy(() -> opening(parameters))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.refusal().rule()).isEqualTo("kairosdb.spec"))
        .hasMessage(reason);
  }

  private List<Step.TableCell> opening(Map<String, String> parameters) {
    return keyspace.run(KairosDbLayout.of(parameters).opening());
  }
}

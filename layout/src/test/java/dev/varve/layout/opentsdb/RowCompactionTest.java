package dev.varve.layout.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.RowSamples;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The rules of the original's compaction queue, on rows written by hand. */
class RowCompactionTest {
  private static final long NOW = HandMadeRow.BASE + 3_601_000;

  private final OpenTsdbLayout layout = OpenTsdbLayout.of(Map.of());
  private final HandMadeRow row = new HandMadeRow();

  @Test
  void mergesSecondsByTime() {
    row.cell("0000", "05").cell("0011", "0102").cell("002b", "3fc00000");
    assertThat(compact())
        .containsExactly(
            "PUT 00000011002b = 0501023fc0000000 @1000",
            "DELETE_COLUMN 0000",
            "DELETE_COLUMN 0011",
            "DELETE_COLUMN 002b");
  }

  @Test
  void marksARowOfBothUnits() {
    row.cell("0050", "05")
        .cell("00a0", "0a")
        .cell("f004e241", "1389")
        .cell("f00a410f", "4025000000000000");
    assertThat(compact())
        .startsWith("PUT 0050f004e24100a0f00a410f = 0513890a402500000000000001 @1000");
  }

  @Test
  void marksNoRowOfMillisecondsAlone() {
    row.cell("f0000000", "00").cell("f0000040", "01");
    assertThat(compact()).startsWith("PUT f0000000f0000040 = 000100 @1000");
  }

  @Test
  void takesLatePointsIntoAColumnThatWasCompactedBefore() {
    row.cell("0000 0020", "05 07 00").cell("0010", "06", 2000).cell("f0000040", "01");
    assertThat(compact())
        .containsExactly(
            "PUT 0000f000004000100020 = 0501060701 @2000",
            "DELETE_COLUMN 00000020",
            "DELETE_COLUMN 0010",
            "DELETE_COLUMN f0000040");
  }

  @Test
  void keepsTheNewestCellOfAnInstant() {
    row.cell("0000", "01", 1000).cell("0001", "0102", 3000).cell("f0000000", "03", 2000);
    assertThat(compact())
        .as("the one point that is left stands already")
        .containsExactly("DELETE_COLUMN 0000", "DELETE_COLUMN f0000000");
  }

  @Test
  void keepsTheFirstCellOfAnInstantWhereTwoAreEquallyOld() {
    row.cell("0000", "01").cell("0001", "0102").cell("0010", "07");
    assertThat(compact()).startsWith("PUT 00000010 = 010700 @1000");
  }

  @Test
  void overwritesACompactedColumnOfTheSameQualifierWithNewerValues() {
    row.cell("0000", "09", 2000).cell("0000 0010", "05 06 00", 1000);
    assertThat(compact()).containsExactly("PUT 00000010 = 090600 @2000", "DELETE_COLUMN 0000");
  }

  @Test
  void deletesWhatACompactedColumnHoldsAlready() {
    row.cell("0000", "05").cell("0000 0010", "05 06 00").cell("0010", "06");
    assertThat(compact()).containsExactly("DELETE_COLUMN 0000", "DELETE_COLUMN 0010");
  }

  @Test
  void mendsTheFlagsAndThePaddingOfOldPoints() {
    row.cell("0017", "0102").cell("002b", "000000003fc00000");
    assertThat(compact()).startsWith("PUT 0011002b = 01023fc0000000 @1000");
  }

  @Test
  void mendsALonelyPointInPlace() {
    row.cell("0017", "0102");
    assertThat(compact()).containsExactly("PUT 0011 = 0102 @1000", "DELETE_COLUMN 0017");
  }

  @Test
  void leavesALonelyPointAlone() {
    row.cell("f0000040", "01").text("010000", "{}").cell("060000", "00").cell("000050", "07");
    assertThat(compact()).isEmpty();
  }

  @Test
  void leavesACompactedRowAlone() {
    row.cell("0000 0010", "05 06 00");
    assertThat(compact()).isEmpty();
  }

  @Test
  void leavesARowThatIsAppendedToAlone() {
    row.cell("0000", "05").cell("0010", "06").cell("050000", "0020 07");
    assertThat(compact()).isEmpty();
  }

  @Test
  void keepsWhatIsNoPoint() {
    row.cell("0000", "05").cell("0010", "06").text("010000", "{}").cell("060000", "00");
    assertThat(compact())
        .containsExactly("PUT 00000010 = 050600 @1000", "DELETE_COLUMN 0000", "DELETE_COLUMN 0010");
  }

  @Test
  void leavesARowThatStillFillsUpAlone() {
    row.cell("0000", "05").cell("0010", "06");
    MutationBatch out = new MutationBatch();
    assertThat(layout.compact(row.cells, 0, 2, NOW - 1, out)).isFalse();
    assertThat(layout.compact(row.cells, 0, 0, NOW, out)).isFalse();
    assertThat(out.isEmpty()).isTrue();
  }

  @Test
  void leavesWhatIsWrittenMeanwhile() {
    row.cell("0000", "05", 1000).cell("0010", "06", 3000);
    MutationBatch out = new MutationBatch();
    assertThat(layout.compact(row.cells, 0, 2, NOW, out)).isTrue();
    assertThat(out.deletedTimes(1)).isEqualTo(new TimeRange(Long.MIN_VALUE, 1001));
    assertThat(out.deletedTimes(2)).isEqualTo(new TimeRange(Long.MIN_VALUE, 3001));
  }

  @Test
  void touchesNothingOfARowWithADamagedColumn() {
    row.cell("0000", "05").cell("0010", "06").cell("0020 0030", "01 02 03 04");
    MutationBatch out = new MutationBatch();
    assertThatThrownBy(() -> layout.compact(row.cells, 0, 3, NOW, out))
        .isInstanceOf(DamagedCellException.class);
    assertThat(out.isEmpty()).isTrue();
  }

  @Test
  void writesWhatItReads() {
    row.cell("0000", "05").cell("0011", "0102").cell("f004e241", "1389");
    MutationBatch out = new MutationBatch();
    assertThat(layout.compact(row.cells, 0, 3, NOW, out)).isTrue();
    CellBatch compacted = new CellBatch();
    compacted.addFrom(out.cells(), 0);
    RowSamples decoded = new RowSamples();
    layout.decode(compacted, 0, 1, decoded);
    assertThat(HandMadeRow.samples(decoded))
        .extracting(sample -> sample.substring(0, sample.indexOf('@')))
        .containsExactly("0=5", "1000=258", "5001=5001");
  }

  private List<String> compact() {
    MutationBatch out = new MutationBatch();
    boolean changed = layout.compact(row.cells, 0, row.cells.size(), NOW, out);
    assertThat(changed).isEqualTo(!out.isEmpty());
    List<String> edits = new ArrayList<>();
    for (int i = 0; i < out.size(); i++) {
      assertThat(out.cells().row(i).hex()).isEqualTo(HandMadeRow.KEY);
      String edit = out.edit(i) + " " + out.cells().qualifier(i);
      edits.add(
          out.edit(i) == MutationBatch.Edit.PUT
              ? edit + " = " + out.cells().value(i) + " @" + out.cells().time(i)
              : edit);
    }
    return edits;
  }
}

package dev.varve.engine.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import org.junit.jupiter.api.Test;

class KnownCellsTest {
  private static CellBatch cells(int... rows) {
    CellBatch cells = new CellBatch();
    for (int row : rows) {
      cells.add(new Cell(Bytes.utf8("row " + row), 0, Bytes.EMPTY, row, Bytes.EMPTY));
    }
    return cells;
  }

  @Test
  void knowsACellWhateverItsTime() {
    KnownCells known = new KnownCells(1024);
    CellBatch cells = new CellBatch();
    cells.add(new Cell(Bytes.utf8("r"), 0, Bytes.utf8("q"), 1, Bytes.utf8("v")));
    cells.add(new Cell(Bytes.utf8("r"), 0, Bytes.utf8("q"), 2, Bytes.utf8("v")));
    cells.add(new Cell(Bytes.utf8("rq"), 0, Bytes.EMPTY, 1, Bytes.utf8("v")));
    cells.add(new Cell(Bytes.utf8("r"), 1, Bytes.utf8("q"), 1, Bytes.utf8("v")));
    known.add(KnownCells.hash(0, 0, cells, 0));

    assertThat(known.has(KnownCells.hash(0, 0, cells, 1))).isTrue();
    assertThat(known.has(KnownCells.hash(0, 0, cells, 2))).isFalse();
    assertThat(known.has(KnownCells.hash(0, 0, cells, 3))).isFalse();
    assertThat(known.has(KnownCells.hash(1, 0, cells, 0))).isFalse();
    assertThat(known.has(KnownCells.hash(0, 1, cells, 0))).isFalse();
  }

  @Test
  void forgetsWhatWasNotUsedForLongestAndStaysSmall() {
    KnownCells known = new KnownCells(64);
    CellBatch first = cells(0);
    known.add(KnownCells.hash(0, 0, first, 0));
    for (int i = 1; i < 5_000; i++) {
      assertThat(known.has(KnownCells.hash(0, 0, first, 0))).isTrue();
      known.add(KnownCells.hash(0, 0, cells(i), 0));
    }

    int remembered = 0;
    for (int i = 0; i < 5_000; i++) {
      remembered += known.has(KnownCells.hash(0, 0, cells(i), 0)) ? 1 : 0;
    }
    assertThat(remembered).isBetween(2, 64);
  }
}

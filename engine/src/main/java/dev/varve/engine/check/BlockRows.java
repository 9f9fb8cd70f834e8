package dev.varve.engine.check;

import dev.varve.engine.blocks.TimeColumns;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.block.BlockHead;
import dev.varve.layout.block.BlockKey;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.block.BlockReader;
import dev.varve.layout.block.SampleColumn;
import dev.varve.layout.block.SharedTimes;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.Table;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Checks the rows of a table of blocks: decodes every block. Used by one thread. */
final class BlockRows implements TableScan.Rows {
  private final Table table;
  private final SeriesNumbers numbers;
  private final IntConsumer found;
  private final Consumer<String> damaged;
  private final TimeColumns times;
  private final BlockReader reader = new BlockReader();
  private final SampleColumn column = new SampleColumn();

  /** Heads of the current row whose bodies were not seen yet, by qualifier. */
  private final Map<Bytes, BlockHead> heads = new HashMap<>();

  private Bytes row = Bytes.EMPTY;

  /**
   * @param found receives the numbers in the index of keys that have blocks
   * @param damaged receives a description of each damaged place
   */
  BlockRows(
      Table table,
      Resolution resolution,
      SeriesNumbers numbers,
      IntConsumer found,
      Consumer<String> damaged) {
    this.table = table;
    this.times = new TimeColumns(table, resolution);
    this.numbers = numbers;
    this.found = found;
    this.damaged = damaged;
  }

  @Override
  public void take(CellBatch page, int from, int to) {
    if (!row.contentEquals(page.bytes(), page.rowOffset(from), page.rowLength(from))) {
      end();
      row = page.row(from);
      identify(page, from);
    }
    for (int cell = from; cell < to; cell++) {
      try {
        take(page, cell);
      } catch (DamagedCellException e) {
        damaged.accept(
            "table '%s', row %s, family '%s', qualifier %s: %s"
                .formatted(
                    table.spec().name(),
                    row,
                    table.spec().families().get(page.family(cell)).name(),
                    page.qualifier(cell),
                    e.getMessage()));
      }
    }
  }

  private void identify(CellBatch page, int cell) {
    boolean whole = page.rowLength(cell) == BlockKey.ROW_BYTES;
    int key = whole ? numbers.key(BlockKey.series(page.bytes(), page.rowOffset(cell))) : -1;
    boolean times = whole && BlockKey.metric(page.bytes(), page.rowOffset(cell)) == BlockKey.OF_TIMES;
    if (key >= 0 && !times) {
      found.accept(key);
    } else if (!times) {
      damaged.accept(
          "table '%s', row %s: %s"
              .formatted(
                  table.spec().name(),
                  row,
                  whole ? "the catalog lacks its series" : "it is not the row of a block"));
    }
  }

  private void take(CellBatch page, int cell) {
    int value = page.valueOffset(cell);
    int length = page.valueLength(cell);
    if (page.qualifierLength(cell) != BlockKey.QUALIFIER_BYTES) {
      throw new DamagedCellException(
          "qualifier: %d bytes, expected %d"
              .formatted(page.qualifierLength(cell), BlockKey.QUALIFIER_BYTES));
    }
    if (page.family(cell) == BlockLayout.TIMES) {
      SharedTimes.decode(page.bytes(), value, length);
      return;
    }
    if (page.family(cell) == BlockLayout.HEADS) {
      heads.put(page.qualifier(cell), BlockHead.read(page.bytes(), value, length));
      return;
    }
    BlockHead head = heads.remove(page.qualifier(cell));
    if (head == null) {
      throw new DamagedCellException("value: a body without a readable head");
    }
    column.clear();
    reader.decode(head, times.of(head), page.bytes(), value, length, TimeRange.ALL, column);
  }

  /** Ends the last row. */
  void end() {
    heads.forEach((qualifier, head) ->
        damaged.accept(
            "table '%s', row %s, qualifier %s: a head without a readable body"
                .formatted(table.spec().name(), row, qualifier)));
    heads.clear();
  }
}

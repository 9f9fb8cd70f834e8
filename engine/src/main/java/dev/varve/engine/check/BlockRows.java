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
import dev.varve.store.LaterFormatException;
import dev.varve.store.Table;
import java.util.Map;
import java.util.TreeMap;

/** Checks the rows of a table of blocks: decodes every block. Used by one thread. */
final class BlockRows implements TableScan.Rows {
  private final Table table;
  private final Resolution resolution;
  private final SeriesNumbers numbers;
  private final Findings findings;
  private final TimeColumns times;
  private final BlockReader reader = new BlockReader();
  private final SampleColumn column = new SampleColumn();

  /** Heads of the current row whose bodies were not seen yet, by qualifier. */
  private final Map<Bytes, BlockHead> heads = new TreeMap<>();

  /** Damaged blocks of the current row, each with its fault. */
  private final Map<Bytes, String> damages = new TreeMap<>();

  private Bytes row = Bytes.EMPTY;

  /** Receives the findings. */
  interface Findings {
    /**
     * Receives a series that has blocks.
     *
     * @param key the number of its key in the index; -1 if the catalog lacks it
     * @param series its durable number
     */
    void series(int key, int series);

    /** Receives a row that is not one of blocks. */
    void damagedRow(String text);

    /**
     * Receives a damaged block.
     *
     * @param times the times that its samples may have
     */
    void damagedBlock(Bytes row, Bytes qualifier, TimeRange times, String text);
  }

  BlockRows(Table table, Resolution resolution, SeriesNumbers numbers, Findings findings) {
    this.table = table;
    this.resolution = resolution;
    this.times = new TimeColumns(table, resolution);
    this.numbers = numbers;
    this.findings = findings;
  }

  @Override
  public void take(CellBatch page, int from, int to) {
    if (!row.contentEquals(page.bytes(), page.rowOffset(from), page.rowLength(from))) {
      end();
      row = page.row(from);
    }
    int at = page.rowOffset(from);
    boolean ofTimes = BlockKey.isRowOfTimes(page.bytes(), at, page.rowLength(from));
    if (!ofTimes && !BlockKey.isRow(page.bytes(), at, page.rowLength(from))) {
      findings.damagedRow(
          "table '%s', row %s: it is not the row of a block".formatted(name(), row));
      return;
    }
    int series = BlockKey.series(page.bytes(), at);
    if (!ofTimes) {
      findings.series(numbers.key(series), series);
    }
    for (int cell = from; cell < to; cell++) {
      try {
        take(page, cell);
      } catch (DamagedCellException e) {
        damages.putIfAbsent(
            page.qualifier(cell),
            "family '%s': %s"
                .formatted(table.spec().families().get(page.family(cell)).name(), e.getMessage()));
      }
    }
  }

  private String name() {
    return table.spec().name();
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
      heads.put(page.qualifier(cell), head(page, cell));
      return;
    }
    BlockHead head = heads.get(page.qualifier(cell));
    if (head == null) {
      throw new DamagedCellException("value: a body without a readable head");
    }
    column.clear();
    reader.decode(head, times.of(head), page.bytes(), value, length, TimeRange.ALL, column);
    heads.remove(page.qualifier(cell));
  }

  private BlockHead head(CellBatch page, int cell) {
    try {
      return BlockHead.read(page.bytes(), page.valueOffset(cell), page.valueLength(cell));
    } catch (LaterFormatException e) {
      throw e.in("table '%s', row %s".formatted(name(), row));
    }
  }

  /** Ends the last row. */
  void end() {
    heads
        .keySet()
        .forEach(qualifier -> damages.putIfAbsent(qualifier, "family 'h': a head without a body"));
    damages.forEach((qualifier, text) ->
        findings.damagedBlock(
            row,
            qualifier,
            times(qualifier),
            "table '%s', row %s, qualifier %s: a damaged block: %s"
                .formatted(name(), row, qualifier, text)));
    heads.clear();
    damages.clear();
  }

  /** Returns the times that the samples of a damaged block may have. */
  private TimeRange times(Bytes qualifier) {
    BlockHead head = heads.get(qualifier);
    if (head != null) {
      return TimeRange.closed(head.first(), head.last());
    }
    TimeRange ofRow = BlockKey.times(BlockKey.bucket(row.toArray(), 0), resolution);
    return qualifier.length() == BlockKey.QUALIFIER_BYTES
        ? ofRow.intersect(new TimeRange(BlockKey.start(qualifier.toArray(), 0), Long.MAX_VALUE))
        : ofRow;
  }
}

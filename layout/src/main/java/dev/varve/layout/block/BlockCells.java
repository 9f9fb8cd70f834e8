package dev.varve.layout.block;

import dev.varve.model.Bytes;
import dev.varve.model.Column;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import dev.varve.store.Cell;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Turns samples into the cells of blocks that hold nothing else. For display. */
public final class BlockCells {
  private BlockCells() {}

  /** Adds the samples of a field to a column, in the order of acceptance. */
  public static void add(SampleGroup group, String field, SampleColumn into) {
    List<Column> columns =
        group.columns().stream()
            .filter(column -> column.field().equals(field))
            .sorted(Comparator.comparingInt(column -> rank(column.kind())))
            .toList();
    for (int slot = 0; slot < group.size(); slot++) {
      for (Column column : columns) {
        if (column.has(slot)) {
          add(column, group.times()[slot], slot, into);
        }
      }
    }
  }

  /**
   * Returns the rank of a kind: of two kinds in one slot, the one with the higher rank counts, as
   * in every layout.
   */
  private static int rank(Kind kind) {
    return switch (kind) {
      case STRING -> 0;
      case INT64 -> 1;
      case DOUBLE -> 2;
    };
  }

  private static void add(Column column, long time, int slot, SampleColumn into) {
    switch (column) {
      case Column.Longs longs -> into.add(time, Kind.INT64, longs.values()[slot]);
      case Column.Doubles doubles ->
          into.add(time, Kind.DOUBLE, Double.doubleToRawLongBits(doubles.values()[slot]));
      case Column.Texts texts ->
          into.addText(time, Arrays.copyOfRange(texts.bytes(), texts.start(slot), texts.end(slot)));
    }
  }

  /**
   * Encodes the samples of a series: for each block a head and the body after it.
   *
   * @param column samples whose times rise strictly
   * @param metric the number of the metric and field
   * @param series the number of the series
   * @param generation the stamp of the blocks, also their cell time
   */
  public static List<Cell> encode(
      SampleColumn column, Resolution resolution, int metric, int series, long generation) {
    List<Cell> cells = new ArrayList<>();
    BlockWriter writer = new BlockWriter();
    int from = 0;
    while (from < column.size()) {
      long bucket = BlockKey.bucket(column.time(from), resolution);
      int to = from + 1;
      while (to < column.size()
          && to - from < BlockHead.SAMPLES_MAX
          && BlockKey.bucket(column.time(to), resolution) == bucket) {
        to++;
      }
      writer.encode(column, from, to);
      Bytes row = BlockKey.row(bucket, metric, series);
      Bytes qualifier = BlockKey.qualifier(column.time(from), generation);
      cells.add(new Cell(row, BlockLayout.HEADS, qualifier, generation, writer.head()));
      cells.add(new Cell(row, BlockLayout.BODIES, qualifier, generation, writer.body()));
      from = to;
    }
    return cells;
  }
}

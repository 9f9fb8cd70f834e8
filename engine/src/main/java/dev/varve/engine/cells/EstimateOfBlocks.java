package dev.varve.engine.cells;

import dev.varve.engine.cells.EstimateWorkload.Asked;
import dev.varve.engine.cells.LayoutEstimate.Amount;
import dev.varve.engine.cells.LayoutEstimate.Read;
import dev.varve.layout.block.BlockHead;
import dev.varve.layout.block.BlockKey;
import dev.varve.layout.block.BlockLayout;
import dev.varve.model.Batch;
import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Counts the rows, cells and bytes of a workload in layout {@code blocks}, once its samples are
 * sealed. A column of times that series share is counted for each of them.
 */
final class EstimateOfBlocks {
  /** A block: its head, and the cell with its columns. */
  private record Block(Bytes row, int series, BlockHead head, long bytes) {}

  private EstimateOfBlocks() {}

  static LayoutEstimate of(BlockLayout layout, EstimateWorkload work) {
    List<String> refused = new ArrayList<>();
    BlocksOfPoints encoder = new BlocksOfPoints(layout);
    Batch samples = work.samples();
    encoder.add(samples, refused::add);
    List<Cell> cells = new ArrayList<>();
    encoder.forEachCell((cell, description) -> cells.add(cell));
    List<Block> blocks = blocks(layout, cells);
    return new LayoutEstimate(
        layout.identity().name(),
        work.keys().size(),
        samples.sampleCount(),
        amount(blocks),
        Amount.NOTHING,
        // All samples of a request are one entry of the journal.
        1,
        work.queries().stream().map(query -> read(query, work, blocks)).toList(),
        refused);
  }

  private static List<Block> blocks(BlockLayout layout, List<Cell> cells) {
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < cells.size(); i += 2) {
      Cell head = cells.get(i);
      byte[] value = head.value().toArray();
      blocks.add(
          new Block(
              head.row(),
              BlockKey.series(head.row().toArray(), 0),
              BlockHead.read(value, 0, value.length),
              bytes(layout, head) + bytes(layout, cells.get(i + 1))));
    }
    return blocks;
  }

  private static long bytes(BlockLayout layout, Cell cell) {
    String family = layout.tables().get(BlockLayout.BLOCKS).families().get(cell.family()).name();
    return (long) cell.row().length()
        + family.getBytes(StandardCharsets.UTF_8).length
        + cell.qualifier().length()
        + EstimateOfCells.TIME_BYTES
        + cell.value().length();
  }

  private static Amount amount(List<Block> blocks) {
    return new Amount(
        rows(blocks).size(), 2L * blocks.size(), blocks.stream().mapToLong(Block::bytes).sum());
  }

  private static Set<Bytes> rows(List<Block> blocks) {
    Set<Bytes> rows = new HashSet<>();
    blocks.forEach(block -> rows.add(block.row()));
    return rows;
  }

  private static Read read(Asked query, EstimateWorkload work, List<Block> all) {
    List<Block> read =
        all.stream()
            .filter(
                block -> block.series() < query.series() && block.head().overlaps(query.times()))
            .toList();
    int rows = rows(read).size();
    return new Read(
        query.what(),
        query.series() * work.samplesWithin(query.times()),
        rows,
        rows,
        amount(read),
        null);
  }
}

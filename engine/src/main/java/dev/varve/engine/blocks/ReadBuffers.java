package dev.varve.engine.blocks;

import dev.varve.layout.block.BlockReader;
import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Kind;
import dev.varve.model.Samples;
import dev.varve.store.CellBatch;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * The memory into which one read of blocks reads and decodes. A query has a read for some dozens of
 * series, and new buffers for each would be most of its garbage. For one thread.
 *
 * @param page the cells that were read last
 * @param column the samples of a series
 * @param spare for putting a column in order
 * @param samples the samples that were delivered last, by kind
 */
public record ReadBuffers(
    CellBatch page,
    BlockReader reader,
    SampleColumn column,
    SampleColumn spare,
    Map<Kind, Samples> samples) {
  /** Larger pages and columns are not kept: they are those of unusual series. */
  private static final int PAGE_MAX = 8 << 20;

  private static final int SAMPLES_MAX = 1 << 16;

  private static ReadBuffers create() {
    return new ReadBuffers(
        new CellBatch(),
        new BlockReader(),
        new SampleColumn(),
        new SampleColumn(),
        new EnumMap<>(Kind.class));
  }

  private boolean isWorthKeeping() {
    return page.bytes().length <= PAGE_MAX
        && column.bytes() <= SampleColumn.BYTES_PER_SAMPLE * SAMPLES_MAX
        && spare.bytes() <= SampleColumn.BYTES_PER_SAMPLE * SAMPLES_MAX;
  }

  /** Buffers that no read uses; at most as many as reads can run at once. */
  static final class Pool {
    private final Queue<ReadBuffers> free =
        new ArrayBlockingQueue<>(Runtime.getRuntime().availableProcessors());

    ReadBuffers take() {
      ReadBuffers known = free.poll();
      return known == null ? create() : known;
    }

    void giveBack(ReadBuffers buffers) {
      if (buffers.isWorthKeeping()) {
        free.offer(buffers);
      }
    }
  }
}

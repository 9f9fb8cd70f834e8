package dev.varve.engine.read;

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
record ReadBuffers(
    CellBatch page,
    BlockReader reader,
    SampleColumn column,
    SampleColumn spare,
    Map<Kind, Samples> samples) {
  /** Larger pages and columns are not kept: they are those of unusual series. */
  private static final int PAGE_MAX = 8 << 20;

  private static final int SAMPLES_MAX = 1 << 16;

  /**
   * Memory of the largest buffers that are kept: a page, two columns, and as much again for both.
   */
  private static final long BYTES_MAX = PAGE_MAX + 4 * SampleColumn.BYTES_PER_SAMPLE * SAMPLES_MAX;

  /** Unused buffers of all datasets take at most this fraction of the heap, or are those of one. */
  private static final int SHARE = 64;

  /**
   * Buffers that no read uses, of all datasets: no more reads run at once than there are
   * processors, however many datasets there are.
   */
  private static final Queue<ReadBuffers> FREE = new ArrayBlockingQueue<>(most());

  private static int most() {
    Runtime java = Runtime.getRuntime();
    long fit = java.maxMemory() / SHARE / BYTES_MAX;
    return (int) Math.clamp(fit, 1L, (long) java.availableProcessors());
  }

  /** Returns buffers for one read; {@link #giveBack} makes them available to others. */
  static ReadBuffers take() {
    ReadBuffers known = FREE.poll();
    return known == null
        ? new ReadBuffers(
            new CellBatch(),
            new BlockReader(),
            new SampleColumn(),
            new SampleColumn(),
            new EnumMap<>(Kind.class))
        : known;
  }

  /** Takes the buffers of a read that has ended; nothing refers to them any more. */
  void giveBack() {
    if (isWorthKeeping()) {
      FREE.offer(this);
    }
  }

  private boolean isWorthKeeping() {
    long samplesMax = SampleColumn.BYTES_PER_SAMPLE * SAMPLES_MAX;
    return page.bytes().length <= PAGE_MAX
        && column.bytes() <= samplesMax
        && spare.bytes() <= samplesMax;
  }
}

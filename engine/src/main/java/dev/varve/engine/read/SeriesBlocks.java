package dev.varve.engine.read;

import dev.varve.layout.block.BlockHead;
import dev.varve.model.Kind;
import dev.varve.model.Series;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A series to deliver: its encoded blocks, or its latest sample if no block is needed for it. */
final class SeriesBlocks {
  /** Index of its series key among the matches of the read. */
  final int match;

  final Series series;
  final int number;

  /** The number of its metric. */
  final int metric;

  /** Whether the latest sample, or that there is none, is known without blocks. */
  boolean hasLatest;

  long latestTime;

  /** The kind of the latest sample; null if there is none. */
  @Nullable Kind latestKind;

  /** An int64, or the bits of a double. */
  long latestValue;

  /** The last time of all blocks, whether or not they are in the range. */
  long lastInBlocks = Long.MIN_VALUE;

  /** The blocks that overlap the range. */
  final List<Block> blocks = new ArrayList<>(1);

  SeriesBlocks(int match, Series series, int number, int metric) {
    this.match = match;
    this.series = series;
    this.number = number;
    this.metric = metric;
  }

  /**
   * An encoded block.
   *
   * @param start the time in its key
   */
  record Block(BlockHead head, long start, long generation, byte[] body) {}
}

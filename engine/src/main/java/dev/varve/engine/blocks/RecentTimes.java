package dev.varve.engine.blocks;

import dev.varve.layout.block.SampleColumn;
import dev.varve.layout.block.SharedTimes;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The times of recently encoded blocks, to find blocks with equal times. Series that are written
 * together have neighbouring numbers, so the last few columns are enough. For one thread.
 */
final class RecentTimes {
  /** Maximum number of times kept, in all columns together. */
  private static final int TIMES_MAX = 1 << 19;

  private static final int COLUMNS_MAX = 256;

  /** The times of a block. */
  static final class Seen {
    private final long hash;
    private final long[] times;
    private @Nullable SharedTimes column;

    private Seen(long hash, long[] times) {
      this.hash = hash;
      this.times = times;
    }

    /** Returns the column that has the times; null as long as no second block has the same. */
    @Nullable SharedTimes column() {
      return column;
    }

    void column(SharedTimes written) {
      column = written;
    }
  }

  private final Map<Long, Seen> byHash = new HashMap<>();
  private final Deque<Seen> inOrder = new ArrayDeque<>();
  private int held;

  /** Returns times that were seen before; null if they were not, in which case they are now. */
  @Nullable Seen find(SampleColumn of, int from, int to) {
    long hash = hash(of.times(), from, to);
    Seen before = byHash.get(hash);
    if (before != null) {
      boolean same = Arrays.equals(before.times, 0, before.times.length, of.times(), from, to);
      return same ? before : null;
    }
    Seen seen = new Seen(hash, Arrays.copyOfRange(of.times(), from, to));
    byHash.put(hash, seen);
    inOrder.add(seen);
    held += seen.times.length;
    while (held > TIMES_MAX || inOrder.size() > COLUMNS_MAX) {
      Seen oldest = inOrder.remove();
      byHash.remove(oldest.hash);
      held -= oldest.times.length;
    }
    return null;
  }

  private static long hash(long[] times, int from, int to) {
    long hash = (long) to - from;
    for (int i = from; i < to; i++) {
      hash = (hash ^ times[i]) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    return hash;
  }
}

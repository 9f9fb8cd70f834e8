package dev.varve.engine.blocks;

import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Kind;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the latest sample of each series in blocks, so that a read of the latest samples need
 * not read blocks. A seal updates only entries that are known; reads of blocks fill in the others.
 * If the table was empty when it was opened, all entries are known from the start.
 *
 * <p>Takes 17 bytes per number of a series. Safe for use by several threads.
 */
final class LatestInBlocks {
  private static final int CHUNK = 1 << 10;

  /** The latest sample of a series is unknown. */
  private static final byte UNKNOWN = 0;

  /** No block has a sample after the time. */
  private static final byte NOTHING_AFTER = 1;

  private static final byte INT64 = 2;
  private static final byte DOUBLE = 3;

  /**
   * The latest sample of a series, as far as it is known.
   *
   * @param time of its latest sample; if the kind is null, a time after which there is none
   * @param kind of the sample; null if it is not known
   * @param value an int64, or the bits of a double
   */
  record Entry(long time, @Nullable Kind kind, long value) {}

  /** A chunk of series with successive numbers. */
  private static final class Chunk {
    private final long[] times = new long[CHUNK];
    private final long[] values = new long[CHUNK];
    private final byte[] states = new byte[CHUNK];
  }

  private @Nullable Chunk[] chunks = {};
  private final byte initial;
  private long version;

  /**
   * Creates the cache for a table that is being opened.
   *
   * @param empty whether the table has no blocks
   */
  LatestInBlocks(boolean empty) {
    this.initial = empty ? NOTHING_AFTER : UNKNOWN;
  }

  /** Returns a number that changes with every seal and whenever samples were removed. */
  synchronized long version() {
    return version;
  }

  /**
   * Returns the entry of a series.
   *
   * @param number of the series
   * @param seen the {@link #version} that the caller reads
   * @return null if nothing is known, or if the version is another by now
   */
  synchronized @Nullable Entry find(int number, long seen) {
    if (seen != version) {
      return null;
    }
    Chunk chunk = number / CHUNK < chunks.length ? chunks[number / CHUNK] : null;
    if (chunk == null) {
      return initial == UNKNOWN ? null : new Entry(Long.MIN_VALUE, null, 0);
    }
    int i = number % CHUNK;
    return switch (chunk.states[i]) {
      case NOTHING_AFTER -> new Entry(chunk.times[i], null, 0);
      case INT64 -> new Entry(chunk.times[i], Kind.INT64, chunk.values[i]);
      case DOUBLE -> new Entry(chunk.times[i], Kind.DOUBLE, chunk.values[i]);
      default -> null;
    };
  }

  /** Records the entry that a read of blocks has found, unless the version has changed since. */
  synchronized void learn(int number, Entry found, long seen) {
    if (seen != version) {
      return;
    }
    Chunk chunk = chunk(number);
    int at = number % CHUNK;
    // A sample is more precise than an upper bound.
    if (found.kind() != null || chunk.states[at] < INT64) {
      set(chunk, at, found.time(), found.kind(), found.value());
    }
  }

  /** Adds the samples that a seal has written. */
  synchronized void add(SealedEnds sealed) {
    version++;
    SampleColumn ends = sealed.ends();
    for (int i = 0; i < ends.size(); i++) {
      int number = sealed.series(i);
      Chunk chunk = chunk(number);
      int at = number % CHUNK;
      if (chunk.states[at] == UNKNOWN || ends.time(i) < chunk.times[at]) {
        continue;
      }
      if (ends.kind(i) == Kind.STRING) {
        chunk.states[at] = UNKNOWN;
      } else {
        set(chunk, at, ends.time(i), ends.kind(i), ends.value(i));
      }
    }
  }

  /** Forgets everything, because samples are removed. */
  synchronized void clear() {
    version++;
    for (Chunk chunk : chunks) {
      if (chunk != null) {
        Arrays.fill(chunk.states, UNKNOWN);
      }
    }
  }

  private static void set(Chunk chunk, int at, long time, @Nullable Kind kind, long value) {
    chunk.times[at] = time;
    chunk.values[at] = value;
    chunk.states[at] = kind == null ? NOTHING_AFTER : kind == Kind.INT64 ? INT64 : DOUBLE;
  }

  private Chunk chunk(int number) {
    int at = number / CHUNK;
    if (at >= chunks.length) {
      chunks = Arrays.copyOf(chunks, Math.max(at + 1, 2 * chunks.length));
    }
    Chunk chunk = chunks[at];
    if (chunk == null) {
      chunk = new Chunk();
      Arrays.fill(chunk.times, Long.MIN_VALUE);
      Arrays.fill(chunk.states, initial);
      chunks[at] = chunk;
    }
    return chunk;
  }
}

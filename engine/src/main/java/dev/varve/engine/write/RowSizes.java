package dev.varve.engine.write;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;

/**
 * About how large the rows of a table have become since the process started, as far as one can know
 * in bounded memory. Safe for use by several threads.
 */
final class RowSizes {
  /*
   * One entry a hash of the row key. Where two rows meet, the smaller one pays: it takes its bytes
   * off the larger one and takes its place once that has none left (Misra and Gries, 1982), so that
   * the rows that grow large are the ones that stay counted. Sizes are never overestimated but by
   * cells that replace others.
   */
  private static final int ENTRIES = 1 << 15;
  private static final Hasher64 HASHER = Hashing.xxh3_64();

  /** Takes a row that has grown beyond a share of the soft limit, each share once. */
  interface Alarm {
    void grown(CellBatch cells, int cell, long bytes, int percent);
  }

  private final long softLimit;
  private final Alarm alarm;
  private final long[] rows = new long[ENTRIES];
  private final long[] bytes = new long[ENTRIES];

  /**
   * @param softLimit bytes from which on a row is too large
   */
  RowSizes(long softLimit, Alarm alarm) {
    this.softLimit = softLimit;
    this.alarm = alarm;
  }

  /**
   * Counts the edits of a batch.
   *
   * @return how many edits its longest mutation has
   */
  int count(MutationBatch batch) {
    CellBatch cells = batch.cells();
    int longest = 0;
    int end;
    for (int first = 0; first < batch.size(); first = end) {
      end = batch.mutationEnd(first);
      longest = Math.max(longest, end - first);
      long size = 0;
      for (int cell = first; cell < end; cell++) {
        size += cells.qualifierLength(cell) + cells.valueLength(cell);
      }
      count(cells, first, size);
    }
    return longest;
  }

  private void count(CellBatch cells, int cell, long size) {
    long hash = HASHER.hashBytesToLong(cells.bytes(), cells.rowOffset(cell), cells.rowLength(cell));
    long before;
    synchronized (this) {
      int entry = (int) hash & (ENTRIES - 1);
      if (rows[entry] != hash) {
        if (bytes[entry] > size) {
          bytes[entry] -= size;
          return;
        }
        rows[entry] = hash;
        bytes[entry] = 0;
      }
      before = bytes[entry];
      bytes[entry] = before + size;
    }
    alarm(cells, cell, before, before + size, 50);
    alarm(cells, cell, before, before + size, 100);
  }

  private void alarm(CellBatch cells, int cell, long before, long after, int percent) {
    long limit = softLimit / 100 * percent;
    if (before < limit && after >= limit) {
      alarm.grown(cells, cell, after, percent);
    }
  }
}

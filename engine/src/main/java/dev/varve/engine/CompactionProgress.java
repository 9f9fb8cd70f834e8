package dev.varve.engine;

import java.util.List;

/**
 * How far the compaction of rows is, or what it came to.
 *
 * @param rows looked at so far
 * @param compacted rows that were written anew
 * @param written cells that were written
 * @param deleted cells that these stand for
 * @param damaged rows that are none of the layout and were left as they are
 * @param damages the first of them, each with table, row and reason; at most {@link #DAMAGES_MAX}
 */
public record CompactionProgress(
    long rows, long compacted, long written, long deleted, long damaged, List<String> damages) {
  public static final int DAMAGES_MAX = 20;
}

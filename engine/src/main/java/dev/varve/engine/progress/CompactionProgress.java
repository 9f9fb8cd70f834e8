package dev.varve.engine.progress;

import java.util.List;

/**
 * The progress or result of a compaction of rows.
 *
 * @param rows rows read so far
 * @param compacted rows rewritten
 * @param written cells written
 * @param deleted cells replaced
 * @param damaged rows that the layout cannot decode; they are left unchanged
 * @param damages the first damaged rows, each with table, row and reason; at most {@link
 *     #DAMAGES_MAX}
 */
public record CompactionProgress(
    long rows, long compacted, long written, long deleted, long damaged, List<String> damages) {
  public static final int DAMAGES_MAX = 20;
}

package dev.varve.layout.block;

import dev.varve.layout.DamagedCellException;
import dev.varve.model.Bytes;

/**
 * Names a column of times that several blocks of one bucket share: those of series that were always
 * written together.
 *
 * <pre>
 * row        {@link BlockKey}, with metric {@link BlockKey#OF_TIMES} and the leader as series
 * qualifier  {@link BlockKey}, with the first time and the generation of the column
 * value
 *   count      varint   number of times
 *   times      {@link LongColumn}
 *   checksum   u32      CRC-32C of all that precedes
 * </pre>
 *
 * @param leader number of the series that the column is named after
 * @param start the first time
 * @param generation stamp at which the column was written; unique for a leader and start
 */
public record SharedTimes(int leader, long start, long generation) {
  private static final int CHECKSUM_BYTES = 4;

  /** Returns the row of the column. */
  public Bytes row(long bucket) {
    return BlockKey.row(bucket, BlockKey.OF_TIMES, leader);
  }

  /** Returns the qualifier of the column. */
  public Bytes qualifier() {
    return BlockKey.qualifier(start, generation);
  }

  /** Returns the column that a cell of the family of times has, by its row and qualifier. */
  public static SharedTimes of(byte[] bytes, int row, int qualifier) {
    return new SharedTimes(
        BlockKey.series(bytes, row),
        BlockKey.start(bytes, qualifier),
        BlockKey.generation(bytes, qualifier));
  }

  /** Encodes times of a column, which rise strictly. */
  static Bytes encode(LongColumn longs, long[] times, int from, int to) {
    ByteOutput out = new ByteOutput();
    out.varint(to - from);
    longs.encode(times, from, to, out);
    out.u32(out.checksum());
    return out.toBytes();
  }

  /**
   * Decodes the times of a column.
   *
   * @throws DamagedCellException if the bytes are not such a value
   */
  public static long[] decode(byte[] bytes, int from, int length) {
    if (length <= CHECKSUM_BYTES) {
      throw new DamagedCellException("value: shared times of " + length + " bytes");
    }
    int content = length - CHECKSUM_BYTES;
    int sum = new ByteInput(bytes, from + content, CHECKSUM_BYTES).u32();
    if (ByteInput.checksum(bytes, from, content) != sum) {
      throw new DamagedCellException("value: the checksum of shared times does not match");
    }
    ByteInput in = new ByteInput(bytes, from, content);
    int count = in.count(BlockHead.SAMPLES_MAX);
    long[] times = new long[count];
    LongColumn.decode(in, count, times);
    if (count == 0 || in.left() != 0) {
      throw new DamagedCellException("value: %d bytes follow shared times".formatted(in.left()));
    }
    ensureRising(times, count);
    return times;
  }

  /**
   * Checks decoded times, of which a block has at most one sample each.
   *
   * @throws DamagedCellException if they do not rise strictly
   */
  static void ensureRising(long[] times, int count) {
    for (int i = 1; i < count; i++) {
      if (times[i] <= times[i - 1]) {
        throw new DamagedCellException(
            "value: time %d comes after %d in a block".formatted(times[i], times[i - 1]));
      }
    }
  }
}

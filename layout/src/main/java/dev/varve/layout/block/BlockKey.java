package dev.varve.layout.block;

import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyPart.Role;
import dev.varve.layout.StorageLayout.RowPart;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The keys of blocks.
 *
 * <pre>
 * row        width      u8    code of the width of buckets: 1 one day
 *            bucket     i64   number of the bucket: floor(time / width), sign bit inverted
 *            metric     u32   number of metric and field; 2^32 - 1 for shared times
 *            series     u32   number of the series; of shared times, that of their leader
 * qualifier  start      i64   time of the first sample, sign bit inverted
 *            generation i64   stamp at which the block was sealed or merged
 * </pre>
 *
 * <p>The bucket comes first, so that retention drops all rows of a bucket at once. Within a bucket,
 * rows of one metric are neighbours. The blocks of a row are in the order of time.
 */
public final class BlockKey {
  /** Length of a row key in bytes. */
  public static final int ROW_BYTES = 17;

  /** Index after the number of the metric in a row key. */
  public static final int METRIC_END = 13;

  /** Length of a qualifier in bytes. */
  public static final int QUALIFIER_BYTES = 16;

  /** The number in place of that of a metric, in row keys of shared columns of times. */
  public static final int OF_TIMES = -1;

  /** The parts of a row key of samples. Metric, field and series are numbers. */
  public static final List<RowPart> PARTS =
      List.of(
          new RowPart("width", Role.LITERAL),
          new RowPart("bucket", Role.TIME),
          new RowPart("metric and field", Role.METRIC),
          new RowPart("series", Role.TAGS));

  private static final int ONE_DAY = 1;
  private static final long SECONDS_PER_DAY = 86_400;
  private static final int METRIC_AT = 9;
  private static final long SIGN = Long.MIN_VALUE;

  private BlockKey() {}

  /** Returns the width of buckets, in a resolution. */
  public static long width(Resolution resolution) {
    return SECONDS_PER_DAY * resolution.perSecond();
  }

  /** Returns the number of the bucket of a time. */
  public static long bucket(long time, Resolution resolution) {
    return Math.floorDiv(time, width(resolution));
  }

  /** Returns the times of a bucket, limited to the range of a long. */
  public static TimeRange times(long bucket, Resolution resolution) {
    long width = width(resolution);
    long least = Math.floorDiv(Long.MIN_VALUE, width) + 1;
    long most = Math.floorDiv(Long.MAX_VALUE, width);
    return new TimeRange(
        bucket < least ? Long.MIN_VALUE : Math.min(bucket, most) * width,
        bucket >= most ? Long.MAX_VALUE : Math.max(bucket + 1, least) * width);
  }

  /** Returns the row of a series in a bucket. */
  public static Bytes row(long bucket, int metric, int series) {
    return new KeyBytes().u8(ONE_DAY).i64(bucket ^ SIGN).u32(metric).u32(series).toBytes();
  }

  /** Returns the lower bound of all rows of a bucket. */
  public static Bytes bucket(long bucket) {
    return new KeyBytes().u8(ONE_DAY).i64(bucket ^ SIGN).toBytes();
  }

  /** Returns the qualifier of a block. */
  public static Bytes qualifier(long start, long generation) {
    return new KeyBytes().i64(start ^ SIGN).i64(generation).toBytes();
  }

  /** Returns the lower bound of the qualifiers of all blocks that start at or after a time. */
  public static Bytes qualifierFrom(long start) {
    return new KeyBytes().i64(start ^ SIGN).toBytes();
  }

  /** Returns whether bytes are a row key. */
  public static boolean isRow(byte[] bytes, int row, int length) {
    return length == ROW_BYTES
        && bytes[row] == ONE_DAY
        && metric(bytes, row) >= 0
        && series(bytes, row) >= 0;
  }

  /** Returns whether bytes are the key of a row of shared times. */
  public static boolean isRowOfTimes(byte[] bytes, int row, int length) {
    return length == ROW_BYTES
        && bytes[row] == ONE_DAY
        && metric(bytes, row) == OF_TIMES
        && series(bytes, row) >= 0;
  }

  /** Returns the number of the bucket in a row key. */
  public static long bucket(byte[] bytes, int row) {
    return ByteBuffer.wrap(bytes).getLong(row + 1) ^ SIGN;
  }

  /** Returns the number of the metric in a row key. */
  public static int metric(byte[] bytes, int row) {
    return ByteBuffer.wrap(bytes).getInt(row + METRIC_AT);
  }

  /** Returns the number of the series in a row key. */
  public static int series(byte[] bytes, int row) {
    return ByteBuffer.wrap(bytes).getInt(row + METRIC_END);
  }

  /** Returns the first time in a qualifier. */
  public static long start(byte[] bytes, int qualifier) {
    return ByteBuffer.wrap(bytes).getLong(qualifier) ^ SIGN;
  }

  /** Returns the generation in a qualifier. */
  public static long generation(byte[] bytes, int qualifier) {
    return ByteBuffer.wrap(bytes).getLong(qualifier + Long.BYTES);
  }
}

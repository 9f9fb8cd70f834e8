package dev.varve.server.opentsdb.histogram;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/**
 * A histogram of OpenTSDB's {@code SimpleHistogramDecoder}: counts of buckets, and of values below
 * and above all of them.
 *
 * <pre>
 *  n buckets   each: lower, upper bound    count            below all   above all
 * +-----------+-------------+-------------+---------+ ... +-----------+-----------+
 * | n : 16    | float : 32  | float : 32  | varint  |     | varint    | varint    |
 * +-----------+-------------+-------------+---------+ ... +-----------+-----------+
 *  varint: seven bits a byte, the lowest first; the ninth byte has eight
 * </pre>
 *
 * <p>When stored, the number of the codec comes before, on one byte. Not safe for several threads.
 */
public final class SimpleHistogram {
  /** Memory of a histogram without buckets, and of each bucket, in bytes. */
  private static final int BYTES = 100;

  private static final int BYTES_PER_BUCKET = 120;

  private static final int BUCKETS_MAX = Short.MAX_VALUE;
  private static final int VARINT_MAX = 9;

  /** The bounds of a bucket. */
  public record Bucket(float lower, float upper) implements Comparable<Bucket> {
    private static final Comparator<Bucket> ORDER =
        Comparator.comparingDouble(Bucket::lower).thenComparingDouble(Bucket::upper);

    @Override
    public int compareTo(Bucket other) {
      return ORDER.compare(this, other);
    }
  }

  private final TreeMap<Bucket, Long> buckets = new TreeMap<>();
  private long underflow;
  private long overflow;

  /** Sets the count of a bucket. */
  void put(Bucket bucket, long count) {
    buckets.put(bucket, count);
  }

  /** Sets the counts of values below and above all buckets. */
  void put(long below, long above) {
    underflow = below;
    overflow = above;
  }

  public Map<Bucket, Long> buckets() {
    return buckets;
  }

  public long underflow() {
    return underflow;
  }

  public long overflow() {
    return overflow;
  }

  /** Returns the memory of this histogram, in bytes. */
  long memory() {
    return BYTES + (long) BYTES_PER_BUCKET * buckets.size();
  }

  /** Adds the counts of another histogram. */
  public void add(SimpleHistogram other) {
    other.buckets.forEach((bucket, count) -> buckets.merge(bucket, count, Long::sum));
    underflow += other.underflow;
    overflow += other.overflow;
  }

  /**
   * Returns the middle of the first bucket at which a share of the counts is reached, as OpenTSDB
   * does: -1 below 1 percent, 0 if there are no counts. Counts are taken as 32 bits.
   *
   * @param percent 0 to 100
   */
  public double percentile(double percent) {
    if (percent < 1 || percent > 100) {
      return -1;
    }
    int all = 0;
    for (long count : buckets.values()) {
      all += (int) count;
    }
    long running = 0;
    for (Map.Entry<Bucket, Long> entry : buckets.entrySet()) {
      running += entry.getValue().intValue();
      if (running * 100.0 / all >= percent) {
        Bucket bucket = entry.getKey();
        return (bucket.lower() + bucket.upper()) / 2;
      }
    }
    return 0;
  }

  /**
   * Reads a histogram. Bytes after it are ignored, as by OpenTSDB.
   *
   * @param bytes without the number of the codec
   * @throws IllegalArgumentException with OpenTSDB's message if they are not a histogram
   */
  public static SimpleHistogram read(byte[] bytes) {
    if (bytes.length < 6) {
      throw new IllegalArgumentException("Byte array shorter than 6 bytes detected");
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    SimpleHistogram read = new SimpleHistogram();
    try {
      int count = buffer.getShort();
      for (int i = 0; i < count; i++) {
        Bucket bucket = new Bucket(buffer.getFloat(), buffer.getFloat());
        read.put(bucket, varint(buffer));
      }
      read.put(varint(buffer), varint(buffer));
      return read;
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("Unexpected exception", e);
    }
  }

  private static long varint(ByteBuffer buffer) {
    long value = 0;
    for (int i = 0; i < VARINT_MAX; i++) {
      long next = buffer.get() & 0xff;
      boolean last = i == VARINT_MAX - 1;
      value |= (last ? next : next & 0x7f) << (7 * i);
      if (last || (next & 0x80) == 0) {
        break;
      }
    }
    return value;
  }

  /**
   * Returns the bytes that OpenTSDB stores.
   *
   * @param codec the number of the codec
   */
  public byte[] stored(int codec) {
    if (buckets.size() > BUCKETS_MAX) {
      throw new IllegalArgumentException(
          "%d buckets: a histogram has at most %d".formatted(buckets.size(), BUCKETS_MAX));
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(codec);
    out.writeBytes(ByteBuffer.allocate(2).putShort((short) buckets.size()).array());
    buckets.forEach((bucket, count) -> {
      out.writeBytes(
          ByteBuffer.allocate(8).putFloat(bucket.lower()).putFloat(bucket.upper()).array());
      varint(out, count);
    });
    varint(out, underflow);
    varint(out, overflow);
    return out.toByteArray();
  }

  private static void varint(ByteArrayOutputStream out, long value) {
    long rest = value;
    for (int i = 1; i < VARINT_MAX && (rest & ~0x7fL) != 0; i++) {
      out.write((int) (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.write((int) rest);
  }
}

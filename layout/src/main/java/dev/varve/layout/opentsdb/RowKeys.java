package dev.varve.layout.opentsdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.layout.RowShape;
import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * The row keys of table {@code tsdb}. With UIDs of three bytes and a salt of one byte:
 *
 * <pre>
 *  salt   metric UID    base time      tagk UID   tagv UID    ... up to maxTags pairs
 * +----+----+----+----+--+--+--+--+----+----+----+----+----+----+
 * | 0b | 00   00   01 | 50 e2 27 00 | 00   00   01 | 00  00  02 |
 * +----+----+----+----+--+--+--+--+----+----+----+----+----+----+
 * </pre>
 *
 * <p>The base time is a whole hour in seconds, unsigned. The pairs are sorted by their bytes. A row
 * key without pairs holds the global annotations of an hour, which belong to no series; its metric
 * and its salt are zero.
 *
 * <p>If the seconds of an hour take more than 32 bits, the original keeps the lowest 32. The result
 * is not a whole hour, and since 2^32 is not a multiple of an hour, it still identifies the hour.
 * Rows of such hours sort among those of other times: the base time has eras of 2^32 seconds.
 */
final class RowKeys {
  static final int HOUR_SECONDS = 3600;
  static final int HOUR_MILLIS = 1000 * HOUR_SECONDS;

  /** The last millisecond that the original accepts, in the year 2286. */
  static final long LAST_TIME = 9_999_999_999_999L;

  static final HexFormat HEX = HexFormat.of().withUpperCase();

  private static final int BASE_WIDTH = 4;

  private final int saltWidth;
  private final int saltBuckets;
  private final int metricWidth;
  private final int tagkWidth;
  private final int pairWidth;
  private final int maxTags;
  private final KeyPart.Time base;
  private final RowShape shape;

  RowKeys(OpenTsdbParameters parameters) {
    this(parameters, new Base());
  }

  /**
   * Creates row keys.
   *
   * @param base the base time, in seconds, in four bytes
   */
  RowKeys(OpenTsdbParameters parameters, KeyPart.Time base) {
    this.base = base;
    saltWidth = parameters.saltWidth();
    saltBuckets = parameters.saltBuckets();
    metricWidth = parameters.metricWidth();
    tagkWidth = parameters.tagkWidth();
    pairWidth = tagkWidth + parameters.tagvWidth();
    maxTags = parameters.maxTags();
    List<KeyPart> parts = new ArrayList<>(4);
    if (saltWidth > 0) {
      parts.add(new SaltPart());
    }
    parts.add(new Metric());
    int partitionParts = parts.size();
    parts.add(base);
    parts.add(new Pairs());
    shape = new RowShape(parts, partitionParts);
  }

  RowShape shape() {
    return shape;
  }

  /**
   * Returns the row key of a binding with a base time of zero, followed by {@code spare} zero
   * bytes.
   */
  byte[] row(UidBinding binding, int spare) {
    byte[] row = new byte[saltWidth + metricWidth + BASE_WIDTH + binding.pairs().length() + spare];
    for (int i = 0; i < saltWidth; i++) {
      row[i] = saltByte(binding.bucket(), i);
    }
    binding.metric().copyTo(row, saltWidth);
    binding.pairs().copyTo(row, saltWidth + metricWidth + BASE_WIDTH);
    return row;
  }

  void setBase(byte[] row, long millis) {
    PointCodec.putInt(row, saltWidth + metricWidth, (int) (millis / 1000));
  }

  /**
   * Returns the first millisecond of the hour of a row. Checks the whole key, without allocating.
   *
   * @throws DamagedCellException if it is not a row key of this layout
   */
  long base(byte[] row, int from, int to) {
    int at = from;
    List<KeyPart> parts = shape.parts();
    for (int i = 0; i < parts.size(); i++) {
      at = parts.get(i).skip(row, at, to);
    }
    checkSalt(row, from, to);
    return base.timeAt(row, from + saltWidth + metricWidth, to);
  }

  /**
   * Checks that the original accepts a time.
   *
   * @param time ms since 1970
   * @throws DamagedCellException if the time is not within 1 to {@link #LAST_TIME}
   */
  static void checkTime(long time) {
    if (time < 1 || time > LAST_TIME) {
      throw new DamagedCellException("time %d ms is outside of 1 to %d".formatted(time, LAST_TIME));
    }
  }

  /**
   * Checks a row key and returns its UIDs: metric, tag name, tag value, tag name, tag value, ...
   */
  List<Bytes> uids(Bytes row) {
    byte[] bytes = row.toArray();
    shape.decode(bytes, 0, bytes.length, new KeyOutput());
    List<Bytes> uids = new ArrayList<>();
    uids.add(row.slice(saltWidth, saltWidth + metricWidth));
    for (int at = saltWidth + metricWidth + BASE_WIDTH; at < bytes.length; at += pairWidth) {
      uids.add(row.slice(at, at + tagkWidth));
      uids.add(row.slice(at + tagkWidth, at + pairWidth));
    }
    return uids;
  }

  /** Returns whether a TSUID is that of the global annotations. */
  static boolean isGlobal(Bytes tsuid) {
    byte[] bytes = tsuid.toArray();
    return zero(bytes, 0, bytes.length);
  }

  /** Returns the row key without salt and base time. */
  Bytes tsuid(Bytes row) {
    return row.slice(saltWidth, saltWidth + metricWidth)
        .concat(row.slice(saltWidth + metricWidth + BASE_WIDTH, row.length()));
  }

  /**
   * Returns the salt of a series: {@link Arrays#hashCode(byte[])} of metric and pairs, modulo the
   * number of buckets. The base time is left out, so all rows of a series have the same salt.
   */
  int bucket(Bytes metric, Bytes pairs) {
    if (saltWidth == 0 || pairs.isEmpty()) {
      return 0;
    }
    return Math.abs(Arrays.hashCode(metric.concat(pairs).toArray()) % saltBuckets);
  }

  private int bucketOf(byte[] row, int from, int to) {
    int metricFrom = from + saltWidth;
    int pairsFrom = metricFrom + metricWidth + BASE_WIDTH;
    if (pairsFrom == to) {
      return 0;
    }
    int hash = 1;
    for (int i = metricFrom; i < metricFrom + metricWidth; i++) {
      hash = 31 * hash + row[i];
    }
    for (int i = pairsFrom; i < to; i++) {
      hash = 31 * hash + row[i];
    }
    return Math.abs(hash % saltBuckets);
  }

  private void checkSalt(byte[] row, int from, int to) {
    if (saltWidth == 0) {
      return;
    }
    int bucket = bucketOf(row, from, to);
    for (int i = 0; i < saltWidth; i++) {
      if (row[from + i] != saltByte(bucket, i)) {
        throw new DamagedCellException(
            "row key: salt is %s, but %d of %d buckets is the series' own; is saltBuckets right?"
                .formatted(HEX.formatHex(row, from, from + saltWidth), bucket, saltBuckets));
      }
    }
  }

  /**
   * Returns a byte of a salt in big-endian order. In salts of more than four bytes the original
   * repeats the number, because it shifts an int by 32 bits or more.
   */
  private byte saltByte(int bucket, int place) {
    return (byte) (bucket >>> (8 * (saltWidth - 1 - place)));
  }

  private static int need(String what, int from, int width, int to) {
    if (to - from < width) {
      throw new DamagedCellException(
          "row key: %s takes %d bytes, %d are left".formatted(what, width, Math.max(0, to - from)));
    }
    return from + width;
  }

  private static boolean zero(byte[] row, int from, int to) {
    for (int i = from; i < to; i++) {
      if (row[i] != 0) {
        return false;
      }
    }
    return true;
  }

  private final class SaltPart implements KeyPart.Salt {
    @Override
    public String label() {
      return "salt";
    }

    @Override
    public Role role() {
      return Role.SALT;
    }

    @Override
    public int buckets() {
      return saltBuckets;
    }

    @Override
    public Of of() {
      return Of.KEY;
    }

    @Override
    public void encodeBucket(int bucket, KeyBytes out) {
      for (int i = 0; i < saltWidth; i++) {
        out.u8(saltByte(bucket, i));
      }
    }

    @Override
    public void encode(KeyInput input, KeyBytes out) {
      encodeBucket(((UidBinding) input.binding()).bucket(), out);
    }

    @Override
    public int decode(byte[] row, int from, int to, KeyOutput out) {
      int next = need("salt, metric and base time", from, saltWidth + metricWidth + BASE_WIDTH, to);
      checkSalt(row, from, to);
      return next - metricWidth - BASE_WIDTH;
    }

    @Override
    public int skip(byte[] row, int from, int to) {
      return need("salt", from, saltWidth, to);
    }

    @Override
    public String show(byte[] row, int from, int to) {
      int bucket = 0;
      for (int i = Math.max(from, to - 4); i < to; i++) {
        bucket = (bucket << 8) | (row[i] & 0xff);
      }
      return bucket + " of " + saltBuckets;
    }
  }

  private final class Metric implements KeyPart {
    @Override
    public String label() {
      return "metric UID";
    }

    @Override
    public Role role() {
      return Role.METRIC;
    }

    @Override
    public void encode(KeyInput input, KeyBytes out) {
      out.raw(((UidBinding) input.binding()).metric());
    }

    @Override
    public int decode(byte[] row, int from, int to, KeyOutput out) {
      int next = skip(row, from, to);
      out.metric(HEX.formatHex(row, from, next));
      return next;
    }

    @Override
    public int skip(byte[] row, int from, int to) {
      return need("metric UID", from, metricWidth, to);
    }

    @Override
    public String show(byte[] row, int from, int to) {
      return HEX.formatHex(row, from, to);
    }
  }

  private static final class Base implements KeyPart.Time {
    private static final long ERA_SECONDS = 1L << 32;
    private static final long LAST_HOUR = LAST_TIME / HOUR_MILLIS * HOUR_SECONDS;
    private static final List<TimeRange> ERAS =
        List.of(
            new TimeRange(Long.MIN_VALUE, eraStart(1)),
            new TimeRange(eraStart(1), eraStart(2)),
            new TimeRange(eraStart(2), Long.MAX_VALUE));

    /** Returns the first millisecond of the first hour that starts in an era. */
    private static long eraStart(int era) {
      return Math.ceilDiv(era * ERA_SECONDS, HOUR_SECONDS) * HOUR_MILLIS;
    }

    @Override
    public List<TimeRange> eras() {
      return ERAS;
    }

    @Override
    public String label() {
      return "base time";
    }

    @Override
    public Role role() {
      return Role.TIME;
    }

    /** Clamps times to the first and last hour that rows can have. */
    @Override
    public void encode(KeyInput input, KeyBytes out) {
      out.u32(Math.clamp(floor(input.time()) / 1000, 0, LAST_HOUR) % ERA_SECONDS);
    }

    @Override
    public int decode(byte[] row, int from, int to, KeyOutput out) {
      int next = skip(row, from, to);
      out.time(timeAt(row, from, to));
      return next;
    }

    @Override
    public int skip(byte[] row, int from, int to) {
      int next = need("base time", from, BASE_WIDTH, to);
      hour(row, from);
      return next;
    }

    @Override
    public String show(byte[] row, int from, int to) {
      return Instant.ofEpochSecond(hour(row, from)).toString();
    }

    @Override
    public long floor(long time) {
      return time - Math.floorMod(time, (long) HOUR_MILLIS);
    }

    @Override
    public long timeAt(byte[] row, int from, int to) {
      need("base time", from, BASE_WIDTH, to);
      return 1000 * hour(row, from);
    }

    @Override
    public long next(long bucket) {
      return bucket > LAST_TIME - HOUR_MILLIS ? Long.MAX_VALUE : bucket + HOUR_MILLIS;
    }

    @Override
    public boolean descending() {
      return false;
    }

    @Override
    public boolean instant() {
      return false;
    }

    private static long hour(byte[] row, int from) {
      long stored = Integer.toUnsignedLong(PointCodec.getInt(row, from));
      for (long seconds = stored; seconds <= LAST_HOUR; seconds += ERA_SECONDS) {
        if (seconds % HOUR_SECONDS == 0) {
          return seconds;
        }
      }
      throw new DamagedCellException(
          "row key: base time %08X (%d s) is not a whole hour".formatted(stored, stored));
    }
  }

  private final class Pairs implements KeyPart {
    @Override
    public String label() {
      return "tag UIDs";
    }

    @Override
    public Role role() {
      return Role.TAGS;
    }

    @Override
    public void encode(KeyInput input, KeyBytes out) {
      out.raw(((UidBinding) input.binding()).pairs());
    }

    @Override
    public int decode(byte[] row, int from, int to, KeyOutput out) {
      skip(row, from, to);
      for (int at = from; at < to; at += pairWidth) {
        out.tag(
            HEX.formatHex(row, at, at + tagkWidth),
            HEX.formatHex(row, at + tagkWidth, at + pairWidth));
      }
      return to;
    }

    @Override
    public int skip(byte[] row, int from, int to) {
      int count = (to - from) / pairWidth;
      if ((to - from) % pairWidth != 0 || count > maxTags) {
        throw new DamagedCellException(
            "row key: %d bytes of tag UIDs are not 1 to %d pairs of %d bytes%s"
                .formatted(
                    to - from,
                    maxTags,
                    pairWidth,
                    (to - from) % pairWidth == 0 ? "; is maxTags right?" : ""));
      }
      int metricFrom = from - BASE_WIDTH - metricWidth;
      if (zero(row, metricFrom, metricFrom + metricWidth) != (count == 0)) {
        throw new DamagedCellException(
            count == 0
                ? "row key: a metric without tags"
                : "row key: tags after metric UID 0, which holds the global annotations");
      }
      for (int at = from + pairWidth; at < to; at += pairWidth) {
        if (Arrays.compareUnsigned(
                row, at - pairWidth, at - pairWidth + tagkWidth, row, at, at + tagkWidth)
            >= 0) {
          throw new DamagedCellException(
              "row key: tagk UID %s comes after %s; they must ascend"
                  .formatted(
                      HEX.formatHex(row, at, at + tagkWidth),
                      HEX.formatHex(row, at - pairWidth, at - pairWidth + tagkWidth)));
        }
      }
      return to;
    }

    @Override
    public String show(byte[] row, int from, int to) {
      StringBuilder text = new StringBuilder();
      for (int at = from; at < to; at += pairWidth) {
        text.append(text.isEmpty() ? "" : ", ")
            .append(HEX.formatHex(row, at, at + tagkWidth))
            .append('=')
            .append(HEX.formatHex(row, at + tagkWidth, at + pairWidth));
      }
      return text.isEmpty() ? "none: annotations of no series" : text.toString();
    }
  }
}

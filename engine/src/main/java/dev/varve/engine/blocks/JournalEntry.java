package dev.varve.engine.blocks;

import dev.varve.layout.block.KindCode;
import dev.varve.model.Kind;
import dev.varve.store.LaterFormatException;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * An entry of the journal: the samples of one batch.
 *
 * <pre>
 * version    u8        1
 * count      varint    number of columns
 * column     series    zigzag varint, number of the series less that of the column before
 *            shape     varint, number of samples * 4 + kind: 0 int64, 1 double, 2 string
 *            time      zigzag varint, first time less that of the column before
 *            times     zigzag varints, each delta less the delta before
 *            values    int64: zigzag varint, the value less the value before
 *                      double: varint 2 * zigzag(d) for a double that is the integer d;
 *                              varint 2 * e + 1 and zigzag varint m for m / 10^e, e in 1 to 3;
 *                              varint 1 and 8 bytes for all others
 *                      string: varint length and UTF-8
 * checksum   u32       CRC-32C of all that precedes
 * </pre>
 *
 * <p>Fixed-size numbers are big-endian; a varint has its lowest seven bits first.
 */
final class JournalEntry {
  private static final int VERSION = 1;
  private static final int CHECKSUM_BYTES = 4;

  /** Maximum bytes of a column before its samples, and of a number sample. */
  private static final int COLUMN_BYTES_MAX = 30;

  private static final int SAMPLE_BYTES_MAX = 21;

  private static final double[] POWERS = {1, 10, 100, 1000};

  /** Integers of a larger magnitude are not exact in a double. */
  private static final long EXACT_MAX = 1L << 53;

  private byte[] bytes = new byte[1 << 12];
  private int length;

  /** Returns the bytes of the entry, of which {@link #length()} are used. */
  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  /** Encodes a batch, in place of the previous content of the entry. */
  void encode(ColumnBatch batch) {
    length = 0;
    reserve(16);
    bytes[length++] = VERSION;
    varint(batch.columns());
    long series = 0;
    long firstTime = 0;
    for (int column = 0; column < batch.columns(); column++) {
      int from = batch.start(column);
      int to = batch.end(column);
      reserve(COLUMN_BYTES_MAX + SAMPLE_BYTES_MAX * (to - from));
      varint(zigzag(batch.series(column) - series));
      varint(4L * (to - from) + KindCode.of(batch.kind(column)));
      times(batch.times(), from, to, firstTime);
      values(batch, column, from, to);
      series = batch.series(column);
      firstTime = from == to ? firstTime : batch.times()[from];
    }
    reserve(CHECKSUM_BYTES);
    int sum = checksum(bytes, 0, length);
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes[length++] = (byte) (sum >>> shift);
    }
  }

  private void times(long[] times, int from, int to, long firstTime) {
    long before = firstTime;
    long delta = 0;
    for (int i = from; i < to; i++) {
      long change = times[i] - before;
      varint(zigzag(change - delta));
      delta = i == from ? 0 : change;
      before = times[i];
    }
  }

  private void values(ColumnBatch batch, int column, int from, int to) {
    long[] values = batch.values();
    switch (batch.kind(column)) {
      case INT64 -> {
        long before = 0;
        for (int i = from; i < to; i++) {
          varint(zigzag(values[i] - before));
          before = values[i];
        }
      }
      case DOUBLE -> {
        for (int i = from; i < to; i++) {
          number(values[i]);
        }
      }
      case STRING -> {
        for (int i = from; i < to; i++) {
          byte[] text = batch.text(values[i]);
          reserve(SAMPLE_BYTES_MAX + text.length);
          varint(text.length);
          System.arraycopy(text, 0, bytes, length, text.length);
          length += text.length;
        }
      }
    }
  }

  /** Encodes a double in the shortest form that decodes to the same bits. */
  private void number(long bits) {
    double value = Double.longBitsToDouble(bits);
    long whole = (long) value;
    if (isExact(whole) && Double.doubleToRawLongBits((double) whole) == bits) {
      varint(zigzag(whole) << 1);
      return;
    }
    for (int e = 1; e < POWERS.length; e++) {
      long scaled = (long) Math.rint(value * POWERS[e]);
      if (isExact(scaled) && Double.doubleToRawLongBits((double) scaled / POWERS[e]) == bits) {
        varint(2L * e + 1);
        varint(zigzag(scaled));
        return;
      }
    }
    varint(1);
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes[length++] = (byte) (bits >>> shift);
    }
  }

  /** Compares with both bounds, because the least long has no magnitude of its own. */
  private static boolean isExact(long whole) {
    return whole > -EXACT_MAX && whole < EXACT_MAX;
  }

  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      bytes[length++] = (byte) ((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    bytes[length++] = (byte) rest;
  }

  private void reserve(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
    }
  }

  private static int checksum(byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    return (int) crc.getValue();
  }

  private static long zigzag(long value) {
    return (value << 1) ^ (value >> 63);
  }

  private static long unzigzag(long value) {
    return (value >>> 1) ^ -(value & 1);
  }

  /**
   * Decodes an entry.
   *
   * @param into receives the samples; incomplete if the entry is damaged
   * @throws DamagedEntryException if the bytes are not an entry
   * @throws LaterFormatException if a later version wrote them
   */
  static void decode(byte[] bytes, int from, int length, ColumnBatch into)
      throws DamagedEntryException {
    Reader reader = new Reader(bytes, from, length, into);
    reader.verify();
    reader.read();
  }

  /**
   * Decodes as much of a damaged entry as possible.
   *
   * @param into receives the samples, of which some may be wrong
   */
  static void decodeReadable(byte[] bytes, int from, int length, ColumnBatch into) {
    into.clear();
    if (length <= CHECKSUM_BYTES) {
      return;
    }
    Reader reader = new Reader(bytes, from, length, into);
    try {
      reader.at++;
      reader.read();
    } catch (DamagedEntryException e) {
      // The caller has its reason already.
    }
  }

  /** Decodes one entry. */
  private static final class Reader {
    private final byte[] bytes;
    private final int from;
    private final int end;
    private final ColumnBatch into;
    private int at;

    private Reader(byte[] bytes, int from, int length, ColumnBatch into) {
      this.bytes = bytes;
      this.from = from;
      this.at = from;
      this.end = from + length - CHECKSUM_BYTES;
      this.into = into;
    }

    private void read() throws DamagedEntryException {
      into.clear();
      long columns = varint();
      long series = 0;
      long firstTime = 0;
      for (long i = 0; i < columns; i++) {
        series += unzigzag(varint());
        long shape = varint();
        long count = shape >>> 2;
        int kind = (int) (shape & 3);
        // Every sample takes at least two bytes.
        if (series < 0
            || series > Integer.MAX_VALUE
            || kind >= KindCode.COUNT
            || count > end - at) {
          throw new DamagedEntryException(
              "column %d has series %d and shape %d".formatted(i, series, shape));
        }
        firstTime = column((int) series, KindCode.kind(kind), (int) count, firstTime);
      }
      if (at != end) {
        throw new DamagedEntryException("bytes follow its last column");
      }
    }

    private void verify() throws DamagedEntryException {
      if (end - from < 2) {
        throw new DamagedEntryException("it has " + (end - from + CHECKSUM_BYTES) + " bytes");
      }
      int sum = checksum(bytes, from, end - from);
      for (int i = 0; i < CHECKSUM_BYTES; i++) {
        if (bytes[end + i] != (byte) (sum >>> (24 - 8 * i))) {
          throw new DamagedEntryException("its checksum does not match");
        }
      }
      int version = bytes[at++] & 0xff;
      if (version > VERSION) {
        throw new LaterFormatException("a journal entry", version, VERSION);
      }
      if (version != VERSION) {
        throw new DamagedEntryException(
            "it has version %d, known is %d".formatted(version, VERSION));
      }
    }

    /** Decodes a column and returns its first time. */
    private long column(int series, Kind kind, int count, long firstTime)
        throws DamagedEntryException {
      long[] times = new long[count];
      long time = firstTime;
      long delta = 0;
      for (int i = 0; i < count; i++) {
        delta += unzigzag(varint());
        time += delta;
        delta = i == 0 ? 0 : delta;
        times[i] = time;
      }
      if (count > 0) {
        into.begin(series, kind);
      }
      long value = 0;
      for (int i = 0; i < count; i++) {
        switch (kind) {
          case INT64 -> {
            value += unzigzag(varint());
            into.add(times[i], value);
          }
          case DOUBLE -> into.add(times[i], doubleBits());
          case STRING -> into.add(times[i], text());
        }
      }
      return count == 0 ? firstTime : times[0];
    }

    private long doubleBits() throws DamagedEntryException {
      long form = varint();
      if ((form & 1) == 0) {
        return Double.doubleToRawLongBits((double) unzigzag(form >>> 1));
      }
      long exponent = form >>> 1;
      if (exponent == 0) {
        require(8);
        long bits = 0;
        for (int i = 0; i < 8; i++) {
          bits = (bits << 8) | (bytes[at++] & 0xff);
        }
        return bits;
      }
      if (exponent >= POWERS.length) {
        throw new DamagedEntryException("a double has form " + form);
      }
      return Double.doubleToRawLongBits((double) unzigzag(varint()) / POWERS[(int) exponent]);
    }

    private byte[] text() throws DamagedEntryException {
      long size = varint();
      if (size < 0 || size > end - at) {
        throw new DamagedEntryException("a text has " + size + " bytes");
      }
      at += (int) size;
      return Arrays.copyOfRange(bytes, at - (int) size, at);
    }

    private long varint() throws DamagedEntryException {
      long value = 0;
      for (int shift = 0; shift < 64; shift += 7) {
        require(1);
        byte one = bytes[at++];
        value |= (one & 0x7fL) << shift;
        if (one >= 0) {
          return value;
        }
      }
      throw new DamagedEntryException("a number has more than ten bytes");
    }

    private void require(int count) throws DamagedEntryException {
      if (at + count > end) {
        throw new DamagedEntryException("it ends within a column");
      }
    }
  }

  /** The bytes of an entry cannot be decoded; the message says why. */
  static final class DamagedEntryException extends Exception {
    private static final long serialVersionUID = 1;

    DamagedEntryException(String message) {
      super(message);
    }
  }
}

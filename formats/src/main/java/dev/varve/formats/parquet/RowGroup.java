package dev.varve.formats.parquet;

import dev.varve.model.Kind;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Rows that are gathered until they are encoded together: at most about 40 MiB. */
final class RowGroup {
  static final int ROWS_MAX = 1 << 18;

  /** Maximum bytes of texts, and of series. */
  private static final int BYTES_MAX = 16 << 20;

  private final List<Series> series = new ArrayList<>();

  /** Rows up to the end of each series. */
  private int[] ends = new int[16];

  private long[] times = new long[1 << 10];
  private Kind[] kinds = new Kind[1 << 10];

  /** Integers, the bits of doubles, and of a text its start and its length, 32 bits each. */
  private long[] values = new long[1 << 10];

  private byte[] text = new byte[1 << 10];
  private int textLength;
  private long seriesBytes;
  private int size;

  int size() {
    return size;
  }

  boolean isFull() {
    return size >= ROWS_MAX || textLength >= BYTES_MAX || seriesBytes >= BYTES_MAX;
  }

  /** Adds a sample, at another time than its own if Parquet lacks the unit of that. */
  void add(Series of, long time, Samples samples, int index) {
    if (series.isEmpty() || !series.getLast().equals(of)) {
      begin(of);
    }
    if (size == times.length) {
      times = Arrays.copyOf(times, 2 * size);
      kinds = Arrays.copyOf(kinds, 2 * size);
      values = Arrays.copyOf(values, 2 * size);
    }
    times[size] = time;
    kinds[size] = samples.kind();
    values[size] =
        switch (samples.kind()) {
          case DOUBLE -> Double.doubleToRawLongBits(samples.doubleAt(index));
          case INT64 -> samples.longAt(index);
          // Decoded and encoded, because readers of Parquet refuse what is not UTF-8.
          case STRING -> keep(samples.textAt(index).getBytes(StandardCharsets.UTF_8));
        };
    size++;
    ends[series.size() - 1] = size;
  }

  private void begin(Series of) {
    series.add(of);
    seriesBytes += of.key().byteCount();
    if (series.size() > ends.length) {
      ends = Arrays.copyOf(ends, 2 * ends.length);
    }
  }

  private long keep(byte[] utf8) {
    int start = textLength;
    if (start + utf8.length > text.length) {
      text = Arrays.copyOf(text, Math.max(start + utf8.length, 2 * text.length));
    }
    System.arraycopy(utf8, 0, text, start, utf8.length);
    textLength += utf8.length;
    return ((long) start << 32) | utf8.length;
  }

  List<Series> series() {
    return series;
  }

  /** Returns the number of rows up to the end of a series. */
  int end(int ofSeries) {
    return ends[ofSeries];
  }

  long time(int row) {
    return times[row];
  }

  Kind kind(int row) {
    return kinds[row];
  }

  /** Returns the value of a row of numbers: an integer, or the bits of a double. */
  long bits(int row) {
    return values[row];
  }

  byte[] text() {
    return text;
  }

  /** Returns where the text of a row begins. */
  int textStart(int row) {
    return (int) (values[row] >>> 32);
  }

  int textLength(int row) {
    return (int) values[row];
  }

  void clear() {
    series.clear();
    seriesBytes = 0;
    textLength = 0;
    size = 0;
  }
}

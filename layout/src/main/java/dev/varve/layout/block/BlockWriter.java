package dev.varve.layout.block;

import dev.varve.model.Bytes;
import dev.varve.model.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Encodes blocks. Reused from block to block; not safe for use by several threads.
 *
 * <pre>
 * body
 *   times    {@link LongColumn}, unless times are regular or shared
 *   kinds    {@link LongColumn} of the {@linkplain KindCode kinds}, if there are several
 *   int64s   {@link LongColumn} of all int64s, if there are any
 *   doubles  {@link DoubleColumn}, if there are any
 *   strings  if there are any:
 *     count    varint               number of different strings
 *     lengths  {@link LongColumn}   their lengths in bytes
 *     indexes  {@link LongColumn}   for each sample the index of its string
 *     bytes                         the different strings in UTF-8, in order of appearance
 * </pre>
 */
public final class BlockWriter {
  private final LongColumn longs = new LongColumn();
  private final DoubleColumn doubles = new DoubleColumn();
  private final ByteOutput head = new ByteOutput();
  private final ByteOutput body = new ByteOutput();
  private long[] numbers = new long[BitPacking.VECTOR];

  /**
   * Encodes samples of a column, whose times rise strictly, as a block.
   *
   * @param from index of the first sample
   * @param to index after the last, at most {@link BlockHead#SAMPLES_MAX} more
   */
  public void encode(SampleColumn column, int from, int to) {
    encode(column, from, to, null);
  }

  /**
   * Like {@link #encode(SampleColumn, int, int)}, for a block without times of its own.
   *
   * @param shared the column that has the block's times; null if the block has them
   */
  public void encode(SampleColumn column, int from, int to, @Nullable SharedTimes shared) {
    body.clear();
    head.clear();
    int kinds = 0;
    for (int i = from; i < to; i++) {
      kinds |= BlockHead.bit(column.kind(i));
    }
    boolean regular = shared == null && isRegular(column, from, to);
    if (!regular && shared == null) {
      longs.encode(column.times(), from, to, body);
    }
    if (Integer.bitCount(kinds) == 1) {
      values(column, column.kind(from), from, to);
    } else {
      kinds(column, from, to);
      for (Kind kind : Kind.values()) {
        if ((kinds & BlockHead.bit(kind)) != 0) {
          values(column, kind, from, to);
        }
      }
    }
    new BlockHead(
            kinds,
            regular,
            to - from,
            column.time(from),
            column.time(to - 1),
            shared,
            body.checksum())
        .write(head);
  }

  /** Encodes times of a column as the value of a column that blocks share. */
  public Bytes times(SampleColumn column, int from, int to) {
    return SharedTimes.encode(longs, column.times(), from, to);
  }

  /** Returns the encoded head. */
  public Bytes head() {
    return head.toBytes();
  }

  /** Returns the encoded body. */
  public Bytes body() {
    return body.toBytes();
  }

  /** Returns whether times are equally far apart, so that a block needs no column of them. */
  public static boolean isRegular(SampleColumn column, int from, int to) {
    long[] times = column.times();
    long step = to - from < 2 ? 0 : times[from + 1] - times[from];
    for (int i = from + 1; i < to; i++) {
      if (times[i] - times[i - 1] != step) {
        return false;
      }
    }
    return true;
  }

  private void kinds(SampleColumn column, int from, int to) {
    long[] codes = numbers(to - from);
    for (int i = from; i < to; i++) {
      codes[i - from] = KindCode.of(column.kind(i));
    }
    longs.encode(codes, 0, to - from, body);
  }

  /** Adds the values of one kind. */
  private void values(SampleColumn column, Kind kind, int from, int to) {
    if (kind == Kind.STRING) {
      texts(column, from, to);
      return;
    }
    long[] values = numbers(to - from);
    int count = 0;
    for (int i = from; i < to; i++) {
      if (column.kind(i) == kind) {
        values[count++] = column.value(i);
      }
    }
    if (kind == Kind.DOUBLE) {
      doubles.encode(values, 0, count, body);
    } else {
      longs.encode(values, 0, count, body);
    }
  }

  private void texts(SampleColumn column, int from, int to) {
    Map<Bytes, Long> known = new HashMap<>();
    List<Bytes> different = new ArrayList<>();
    long[] indexes = new long[to - from];
    int count = 0;
    for (int i = from; i < to; i++) {
      if (column.kind(i) == Kind.STRING) {
        Bytes text = Bytes.of(column.textAt(i));
        Long index = known.putIfAbsent(text, (long) different.size());
        if (index == null) {
          index = (long) different.size();
          different.add(text);
        }
        indexes[count++] = index;
      }
    }
    long[] lengths = different.stream().mapToLong(Bytes::length).toArray();
    body.varint(different.size());
    longs.encode(lengths, 0, lengths.length, body);
    longs.encode(indexes, 0, count, body);
    for (Bytes text : different) {
      body.raw(text.toArray(), 0, text.length());
    }
  }

  private long[] numbers(int count) {
    if (count > numbers.length) {
      numbers = Arrays.copyOf(numbers, Math.max(count, 2 * numbers.length));
    }
    return numbers;
  }
}

package dev.varve.model;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A growable vector of samples of one kind. Each sample has a time, a value and a stamp; of two
 * samples at the same instant, the higher stamp was accepted later. Instances are meant to be
 * reused: only growth allocates. Not safe for use by several threads.
 */
public final class Samples {
  private static final long[] EMPTY = {};

  private final Kind kind;
  private int size;
  private long[] times = new long[16];

  /** Shorter than the times if later samples have no stamp. */
  private long[] stamps = EMPTY;

  private double[] doubles = {};
  private long[] longs = {};
  private byte[] text = {};
  private int[] textEnds = {};

  public Samples(Kind kind) {
    this.kind = kind;
    switch (kind) {
      case DOUBLE -> doubles = new double[16];
      case INT64 -> longs = new long[16];
      case STRING -> {
        text = new byte[64];
        textEnds = new int[16];
      }
    }
  }

  public Kind kind() {
    return kind;
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  public void clear() {
    size = 0;
  }

  public void add(long time, double value, long stamp) {
    reserve();
    doubles[size] = value;
    put(time, stamp);
  }

  public void add(long time, long value, long stamp) {
    reserve();
    longs[size] = value;
    put(time, stamp);
  }

  private void put(long time, long stamp) {
    times[size] = time;
    if (stamp != 0 || stamps.length > 0) {
      if (stamps.length < times.length) {
        stamps = Arrays.copyOf(stamps, times.length);
      }
      stamps[size] = stamp;
    }
    size++;
  }

  /**
   * Replaces all samples of a vector of numbers by a range of others without stamps.
   *
   * @param ofTimes times by index
   * @param bits int64s, or bits of doubles, by index
   * @param from index of the first sample
   * @param to index after the last sample
   */
  public void set(long[] ofTimes, long[] bits, int from, int to) {
    int count = to - from;
    stamps = EMPTY;
    if (count > times.length) {
      times = new long[count];
      longs = kind == Kind.INT64 ? new long[count] : longs;
      doubles = kind == Kind.DOUBLE ? new double[count] : doubles;
    }
    System.arraycopy(ofTimes, from, times, 0, count);
    if (kind == Kind.INT64) {
      System.arraycopy(bits, from, longs, 0, count);
    } else {
      for (int i = 0; i < count; i++) {
        doubles[i] = Double.longBitsToDouble(bits[from + i]);
      }
    }
    size = count;
  }

  /** Adds a text encoded as UTF-8. */
  public void add(long time, byte[] utf8, int offset, int length, long stamp) {
    reserve();
    textEnds[size] = textStart(size);
    put(time, stamp);
    lengthen(utf8, offset, length);
  }

  /** Appends UTF-8 bytes to the text of the last sample. */
  public void lengthen(byte[] utf8, int offset, int length) {
    int end = textEnds[size - 1];
    if (end + length > text.length) {
      text = Arrays.copyOf(text, Math.max(end + length, 2 * text.length));
    }
    System.arraycopy(utf8, offset, text, end, length);
    textEnds[size - 1] = end + length;
  }

  /** Adds sample {@code index} of another vector of the same kind. */
  public void addFrom(Samples other, int index) {
    switch (kind) {
      case DOUBLE -> add(other.times[index], other.doubles[index], other.stamp(index));
      case INT64 -> add(other.times[index], other.longs[index], other.stamp(index));
      case STRING ->
          add(
              other.times[index],
              other.text,
              other.textStart(index),
              other.textEnds[index] - other.textStart(index),
              other.stamp(index));
    }
  }

  /**
   * Adds a range of samples of another vector of the same kind, in their order.
   *
   * @param from index of the first sample
   * @param to index after the last sample
   */
  public void addAll(Samples other, int from, int to) {
    if (kind == Kind.STRING) {
      for (int i = from; i < to; i++) {
        addFrom(other, i);
      }
      return;
    }
    int count = to - from;
    if (size + count > times.length) {
      grow(Math.max(size + count, 2 * times.length));
    }
    System.arraycopy(other.times, from, times, size, count);
    if (other.stamps.length > 0 || stamps.length > 0) {
      if (stamps.length < times.length) {
        stamps = Arrays.copyOf(stamps, times.length);
      }
      int stamped = Math.max(0, Math.min(to, other.stamps.length) - from);
      System.arraycopy(other.stamps, from, stamps, size, stamped);
      Arrays.fill(stamps, size + stamped, size + count, 0);
    }
    if (kind == Kind.DOUBLE) {
      System.arraycopy(other.doubles, from, doubles, size, count);
    } else {
      System.arraycopy(other.longs, from, longs, size, count);
    }
    size += count;
  }

  /** Removes the last sample. */
  public void removeLast() {
    size--;
  }

  public long time(int index) {
    return times[index];
  }

  /** Returns the stamp, which rises in order of acceptance, or 0 if the layout keeps no stamps. */
  public long stamp(int index) {
    return index < stamps.length ? stamps[index] : 0;
  }

  public double doubleAt(int index) {
    return doubles[index];
  }

  public long longAt(int index) {
    return longs[index];
  }

  /**
   * Returns the value as a double; an int64 becomes the nearest double. Must not be called for
   * texts.
   */
  public double number(int index) {
    return kind == Kind.DOUBLE ? doubles[index] : longs[index];
  }

  public String textAt(int index) {
    int start = textStart(index);
    return new String(text, start, textEnds[index] - start, StandardCharsets.UTF_8);
  }

  public Value value(int index) {
    return switch (kind) {
      case DOUBLE -> new Value.Real(doubles[index]);
      case INT64 -> new Value.Int64(longs[index]);
      case STRING -> new Value.Text(textAt(index));
    };
  }

  /**
   * Returns the array of times. It is shared with this vector and valid until the next change; only
   * the first {@link #size()} elements are used.
   */
  public long[] times() {
    return times;
  }

  /** Returns the values of a vector of doubles, shared like {@link #times()}. */
  public double[] doubles() {
    return doubles;
  }

  /** Returns the values of a vector of int64s, shared like {@link #times()}. */
  public long[] longs() {
    return longs;
  }

  public byte[] text() {
    return text;
  }

  public int textStart(int index) {
    return index == 0 ? 0 : textEnds[index - 1];
  }

  public int textEnd(int index) {
    return textEnds[index];
  }

  private void reserve() {
    if (size == times.length) {
      grow(2 * times.length);
    }
  }

  private void grow(int capacity) {
    times = Arrays.copyOf(times, capacity);
    stamps = stamps.length == 0 ? stamps : Arrays.copyOf(stamps, capacity);
    switch (kind) {
      case DOUBLE -> doubles = Arrays.copyOf(doubles, capacity);
      case INT64 -> longs = Arrays.copyOf(longs, capacity);
      case STRING -> textEnds = Arrays.copyOf(textEnds, capacity);
    }
  }
}

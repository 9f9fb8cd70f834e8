package dev.varve.layout.block;

import dev.varve.model.Kind;
import java.util.Arrays;

/**
 * A growable column of samples of one series, of any kinds. Instances are reused: only growth
 * allocates. Not safe for use by several threads.
 */
public final class SampleColumn {
  /** Bytes of memory that a sample without a text takes. */
  public static final long BYTES_PER_SAMPLE = 2 * Long.BYTES + 1;

  private long[] times = new long[256];
  private long[] values = new long[256];
  private byte[] kinds = new byte[256];
  private byte[] text = {};
  private int textLength;
  private int size;

  /** Bits of all kinds that were added, by {@link BlockHead#bit}. */
  private int kindBits;

  /** Whether the times of all samples rise strictly. */
  private boolean rising = true;

  public void clear() {
    size = 0;
    textLength = 0;
    kindBits = 0;
    rising = true;
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** Returns the memory of the column in bytes, used or not. */
  public long bytes() {
    return BYTES_PER_SAMPLE * times.length + text.length;
  }

  public long time(int index) {
    return times[index];
  }

  public Kind kind(int index) {
    return KindCode.kind(kinds[index]);
  }

  /** Returns the index after the last sample of a stretch of samples of one kind. */
  public int stretch(int from) {
    if (kindBits == BlockHead.bit(kind(from))) {
      return size;
    }
    int end = from + 1;
    while (end < size && kinds[end] == kinds[from]) {
      end++;
    }
    return end;
  }

  /** Returns an int64, the bits of a double, or the position and length of a text. */
  public long value(int index) {
    return values[index];
  }

  /** Returns the bytes of a text. */
  public byte[] textAt(int index) {
    int start = (int) (values[index] >>> 32);
    return Arrays.copyOfRange(text, start, start + (int) values[index]);
  }

  /** Adds an int64 or the bits of a double. */
  public void add(long time, Kind kind, long value) {
    reserve(1);
    rising &= size == 0 || time > times[size - 1];
    times[size] = time;
    values[size] = value;
    kinds[size++] = (byte) KindCode.of(kind);
    kindBits |= BlockHead.bit(kind);
  }

  public void addText(long time, byte[] utf8) {
    if (textLength + utf8.length > text.length) {
      text = Arrays.copyOf(text, Math.max(textLength + utf8.length, 2 * text.length));
    }
    System.arraycopy(utf8, 0, text, textLength, utf8.length);
    add(time, Kind.STRING, ((long) textLength << 32) | utf8.length);
    textLength += utf8.length;
  }

  /**
   * Adds numbers of one kind, from index {@code from} (inclusive) to {@code to} (exclusive) of two
   * arrays. Their times rise strictly.
   */
  void addAll(long[] ofTimes, long[] ofValues, Kind kind, int from, int to) {
    if (to <= from) {
      return;
    }
    int count = to - from;
    reserve(count);
    rising &= size == 0 || ofTimes[from] > times[size - 1];
    System.arraycopy(ofTimes, from, times, size, count);
    System.arraycopy(ofValues, from, values, size, count);
    Arrays.fill(kinds, size, size + count, (byte) KindCode.of(kind));
    kindBits |= BlockHead.bit(kind);
    size += count;
  }

  /** Returns the times of all samples, by their index; shared and valid until the next change. */
  public long[] times() {
    return times;
  }

  /**
   * Returns the {@linkplain #value values} of all samples, by their index; shared like {@link
   * #times()}.
   */
  public long[] values() {
    return values;
  }

  /** Adds sample {@code index} of another column. */
  public void addFrom(SampleColumn other, int index) {
    if (other.kind(index) == Kind.STRING) {
      addText(other.times[index], other.textAt(index));
    } else {
      add(other.times[index], other.kind(index), other.values[index]);
    }
  }

  private void reserve(int more) {
    if (size + more > times.length) {
      int capacity = Math.max(size + more, 2 * times.length);
      times = Arrays.copyOf(times, capacity);
      values = Arrays.copyOf(values, capacity);
      kinds = Arrays.copyOf(kinds, capacity);
    }
  }

  /** Sorts by time and keeps the last added sample of each instant. */
  public void settle(SampleColumn spare) {
    if (rising) {
      return;
    }
    int[] order = order();
    spare.clear();
    for (int i = 0; i < size; i++) {
      if (i + 1 == size || times[order[i + 1]] != times[order[i]]) {
        spare.addFrom(this, order[i]);
      }
    }
    swap(spare);
  }

  /**
   * Returns the indexes of all samples by time; samples of one instant stay in the order in which
   * they were added. Merges runs that are in order already, of which there are few.
   */
  private int[] order() {
    int[] from = new int[size];
    int[] ends = new int[size];
    int runs = 0;
    for (int i = 0; i < size; i++) {
      from[i] = i;
      if (i + 1 == size || times[i + 1] < times[i]) {
        ends[runs++] = i + 1;
      }
    }
    int[] to = new int[size];
    while (runs > 1) {
      int merged = 0;
      for (int run = 0; run < runs; run += 2) {
        int start = run == 0 ? 0 : ends[run - 1];
        int middle = ends[run];
        int end = run + 1 < runs ? ends[run + 1] : middle;
        merge(from, start, middle, end, to);
        ends[merged++] = end;
      }
      runs = merged;
      int[] other = from;
      from = to;
      to = other;
    }
    return from;
  }

  private void merge(int[] from, int start, int middle, int end, int[] to) {
    int left = start;
    int right = middle;
    for (int at = start; at < end; at++) {
      boolean takeLeft = right == end || (left < middle && times[from[left]] <= times[from[right]]);
      to[at] = takeLeft ? from[left++] : from[right++];
    }
  }

  private void swap(SampleColumn other) {
    SampleColumn before = new SampleColumn(this);
    take(other);
    other.take(before);
  }

  public SampleColumn() {}

  private SampleColumn(SampleColumn other) {
    take(other);
  }

  private void take(SampleColumn other) {
    times = other.times;
    values = other.values;
    kinds = other.kinds;
    text = other.text;
    textLength = other.textLength;
    kindBits = other.kindBits;
    rising = other.rising;
    size = other.size;
  }
}

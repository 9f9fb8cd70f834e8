package dev.varve.server.opentsdb.query;

import dev.varve.query.limit.Memory;
import java.util.Arrays;

/**
 * Points of one series in ascending order of time, each an int64 or a double. It holds its memory
 * until the query ends. For one thread.
 */
public final class Points implements PointSink {
  private static final int BYTES_PER_POINT = 17;
  private static final int FIRST_CAPACITY = 16;

  private final Memory memory;
  private int size;
  private long[] times = {};
  private long[] bits = {};
  private boolean[] reals = {};

  public Points(Memory memory) {
    this.memory = memory;
  }

  @Override
  public void whole(long time, long value) {
    add(time, value, false);
  }

  @Override
  public void real(long time, double value) {
    add(time, Double.doubleToRawLongBits(value), true);
  }

  private void add(long time, long value, boolean real) {
    if (size == times.length) {
      grow();
    }
    times[size] = time;
    bits[size] = value;
    reals[size++] = real;
  }

  private void grow() {
    int capacity = Math.max(FIRST_CAPACITY, 2 * size);
    memory.hold((long) BYTES_PER_POINT * (capacity - size), "the points of an OpenTSDB query");
    times = Arrays.copyOf(times, capacity);
    bits = Arrays.copyOf(bits, capacity);
    reals = Arrays.copyOf(reals, capacity);
  }

  public int size() {
    return size;
  }

  /** Returns a time in milliseconds since 1970. */
  public long time(int index) {
    return times[index];
  }

  /** Returns whether a value is a double. */
  public boolean isReal(int index) {
    return reals[index];
  }

  /** Returns a value that is an int64. */
  public long longAt(int index) {
    return bits[index];
  }

  /** Returns a value as a double. */
  public double number(int index) {
    return reals[index] ? Double.longBitsToDouble(bits[index]) : bits[index];
  }

  /** Passes on one point. */
  public void pass(int index, PointSink to) {
    if (reals[index]) {
      to.real(times[index], Double.longBitsToDouble(bits[index]));
    } else {
      to.whole(times[index], bits[index]);
    }
  }
}

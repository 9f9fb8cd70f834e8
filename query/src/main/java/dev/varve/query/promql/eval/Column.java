package dev.varve.query.promql.eval;

import java.util.Arrays;

/** The values of one series at all steps. Steps may have no value. */
public final class Column {
  private final double[] values;
  private final long[] present;

  Column(int steps) {
    this.values = new double[steps];
    this.present = new long[(steps + 63) >> 6];
  }

  /** Returns the approximate size of a column in bytes. */
  static long bytes(int steps) {
    return 64 + 8L * steps + steps / 8;
  }

  /** Creates a column with the same value at every step. */
  static Column filled(int steps, double value) {
    Column column = new Column(steps);
    Arrays.fill(column.values, value);
    column.fill();
    return column;
  }

  /** Creates a column that takes ownership of an array of values. */
  static Column of(double[] values) {
    Column column = new Column(values);
    column.fill();
    return column;
  }

  private Column(double[] values) {
    this.values = values;
    this.present = new long[(values.length + 63) >> 6];
  }

  Column copy() {
    Column copy = new Column(values.clone());
    System.arraycopy(present, 0, copy.present, 0, present.length);
    return copy;
  }

  private void fill() {
    Arrays.fill(present, -1L);
    int rest = values.length & 63;
    if (rest != 0) {
      present[present.length - 1] = (1L << rest) - 1;
    }
  }

  public int steps() {
    return values.length;
  }

  public boolean has(int step) {
    return (present[step >> 6] & 1L << step) != 0;
  }

  /** Returns the value at a step; only meaningful if there is one. */
  public double get(int step) {
    return values[step];
  }

  void set(int step, double value) {
    values[step] = value;
    present[step >> 6] |= 1L << step;
  }

  /** Returns whether a step is the last one of those that {@link #mark} marks together. */
  static boolean endsWord(int step) {
    return (step & 63) == 63;
  }

  /**
   * Marks which of the up to 64 steps that share the word of a step have a value.
   *
   * @param marks bit {@code step & 63} stands for a step
   */
  void mark(int step, long marks) {
    present[step >> 6] = marks;
  }

  void remove(int step) {
    present[step >> 6] &= ~(1L << step);
  }

  boolean isEmpty() {
    for (long word : present) {
      if (word != 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns the number of steps with a value. */
  public int count() {
    int count = 0;
    for (long word : present) {
      count += Long.bitCount(word);
    }
    return count;
  }

  /**
   * Returns the first step at or after {@code from} with a value; the number of steps if there is
   * none.
   */
  public int next(int from) {
    int word = from >> 6;
    if (from >= values.length) {
      return values.length;
    }
    long bits = present[word] & -1L << from;
    while (bits == 0) {
      if (++word == present.length) {
        return values.length;
      }
      bits = present[word];
    }
    return (word << 6) + Long.numberOfTrailingZeros(bits);
  }

  /** Returns whether both columns have a value at some step. */
  boolean overlaps(Column other) {
    for (int word = 0; word < present.length; word++) {
      if ((present[word] & other.present[word]) != 0) {
        return true;
      }
    }
    return false;
  }

  /** Returns a column of the steps at which both have a value; its values are meaningless. */
  Column and(Column other) {
    Column both = new Column(values.length);
    for (int word = 0; word < present.length; word++) {
      both.present[word] = present[word] & other.present[word];
    }
    return both;
  }

  /** Removes the values at all steps at which another column has none. */
  void retain(Column other) {
    for (int word = 0; word < present.length; word++) {
      present[word] &= other.present[word];
    }
  }

  /** Removes the values at all steps at which another column has one. */
  void removeAll(Column other) {
    for (int word = 0; word < present.length; word++) {
      present[word] &= ~other.present[word];
    }
  }

  /** Adds the values of another column, whose steps must have no value here. */
  void addAll(Column other) {
    for (int word = 0; word < present.length; word++) {
      long bits = other.present[word];
      int from = word << 6;
      if (present[word] == 0) {
        System.arraycopy(other.values, from, values, from, Math.min(64, values.length - from));
      } else {
        for (long rest = bits; rest != 0; rest &= rest - 1) {
          int step = from + Long.numberOfTrailingZeros(rest);
          values[step] = other.values[step];
        }
      }
      present[word] |= bits;
    }
  }

  /** Returns the array of values; elements of steps without a value are meaningless. */
  double[] values() {
    return values;
  }
}

package dev.varve.model;

import org.jspecify.annotations.Nullable;

/**
 * The values of one field in a {@link SampleGroup}: one slot for each of the group's times, some of
 * which may be empty. The arrays may be longer than the group. They belong to the group, so the
 * creator of a column must not modify them.
 *
 * <p>Presence is one bit for each slot: slot {@code i} is bit {@code i % 64} of word {@code i /
 * 64}. Null means that every slot holds a value.
 */
public sealed interface Column {
  String field();

  Kind kind();

  long @Nullable [] presence();

  /** Returns whether slot {@code index} holds a value. */
  default boolean has(int index) {
    long[] presence = presence();
    return presence == null || (presence[index >>> 6] & 1L << index) != 0;
  }

  record Doubles(String field, double[] values, long @Nullable [] presence) implements Column {
    @Override
    public Kind kind() {
      return Kind.DOUBLE;
    }
  }

  record Longs(String field, long[] values, long @Nullable [] presence) implements Column {
    @Override
    public Kind kind() {
      return Kind.INT64;
    }
  }

  /**
   * Strings in UTF-8, concatenated in one array.
   *
   * @param ends the exclusive end of each slot's text. A text starts where its predecessor ends;
   *     the first starts at 0. Empty slots have no bytes.
   */
  record Texts(String field, byte[] bytes, int[] ends, long @Nullable [] presence)
      implements Column {
    @Override
    public Kind kind() {
      return Kind.STRING;
    }

    public int start(int index) {
      return index == 0 ? 0 : ends[index - 1];
    }

    public int end(int index) {
      return ends[index];
    }
  }
}

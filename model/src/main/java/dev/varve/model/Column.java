package dev.varve.model;

import org.jspecify.annotations.Nullable;

/**
 * The values of one field in a {@link SampleGroup}: as many places as the group has times, of which
 * some may be empty. Arrays may be longer than the group and belong to it: whoever made the column
 * does not touch them again.
 *
 * <p>Presence is a bit a place, place {@code i} in bit {@code i % 64} of word {@code i / 64}; null
 * means that every place is filled.
 */
public sealed interface Column {
  String field();

  Kind kind();

  long @Nullable [] presence();

  /** Whether place {@code index} holds a value. */
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
   * Texts in UTF-8, end to end in one array.
   *
   * @param ends where the text of each place ends; it starts where the one before ends, the first
   *     at 0. An empty place has no bytes.
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

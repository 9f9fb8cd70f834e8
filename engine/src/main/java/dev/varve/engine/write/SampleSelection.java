package dev.varve.engine.write;

import dev.varve.model.Column;
import dev.varve.model.SampleGroup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Selects samples of a group. */
final class SampleSelection {
  private SampleSelection() {}

  /**
   * Returns a group with some of the samples of another.
   *
   * @param wanted indexes of at least one sample
   */
  static SampleGroup select(SampleGroup group, BitSet wanted) {
    int[] indexes = wanted.stream().toArray();
    long[] times = new long[indexes.length];
    for (int i = 0; i < indexes.length; i++) {
      times[i] = group.times()[indexes[i]];
    }
    List<Column> columns = new ArrayList<>(group.columns().size());
    for (Column column : group.columns()) {
      Column selected = select(column, indexes);
      if (selected != null) {
        columns.add(selected);
      }
    }
    return new SampleGroup(group.key(), indexes.length, times, columns);
  }

  /** Returns a column with the values at some indexes; null if it has no value at any of them. */
  private static @Nullable Column select(Column column, int[] indexes) {
    long[] presence = presence(column, indexes);
    if (presence != null && Arrays.stream(presence).allMatch(word -> word == 0)) {
      return null;
    }
    return switch (column) {
      case Column.Doubles(var field, var values, var ignored) -> {
        double[] selected = new double[indexes.length];
        for (int i = 0; i < indexes.length; i++) {
          selected[i] = values[indexes[i]];
        }
        yield new Column.Doubles(field, selected, presence);
      }
      case Column.Longs(var field, var values, var ignored) -> {
        long[] selected = new long[indexes.length];
        for (int i = 0; i < indexes.length; i++) {
          selected[i] = values[indexes[i]];
        }
        yield new Column.Longs(field, selected, presence);
      }
      case Column.Texts texts -> select(texts, indexes, presence);
    };
  }

  private static Column.Texts select(
      Column.Texts texts, int[] indexes, long @Nullable [] presence) {
    int[] ends = new int[indexes.length];
    int length = 0;
    for (int i = 0; i < indexes.length; i++) {
      length += texts.end(indexes[i]) - texts.start(indexes[i]);
      ends[i] = length;
    }
    byte[] bytes = new byte[length];
    for (int i = 0; i < indexes.length; i++) {
      int start = texts.start(indexes[i]);
      int size = texts.end(indexes[i]) - start;
      System.arraycopy(texts.bytes(), start, bytes, ends[i] - size, size);
    }
    return new Column.Texts(texts.field(), bytes, ends, presence);
  }

  private static long @Nullable [] presence(Column column, int[] indexes) {
    if (column.presence() == null) {
      return null;
    }
    long[] presence = new long[(indexes.length + 63) >>> 6];
    for (int i = 0; i < indexes.length; i++) {
      if (column.has(indexes[i])) {
        presence[i >>> 6] |= 1L << i;
      }
    }
    return presence;
  }

  /**
   * Returns a group without some of its values; null if no value is left.
   *
   * @param dropped for each column, the indexes whose values are dropped
   */
  static @Nullable SampleGroup without(SampleGroup group, List<BitSet> dropped) {
    BitSet left = new BitSet(group.size());
    List<Column> columns = new ArrayList<>(group.columns().size());
    for (int c = 0; c < group.columns().size(); c++) {
      Column column = group.columns().get(c);
      long[] presence = new long[(group.size() + 63) >>> 6];
      for (int i = 0; i < group.size(); i++) {
        if (column.has(i) && !dropped.get(c).get(i)) {
          presence[i >>> 6] |= 1L << i;
          left.set(i);
        }
      }
      columns.add(
          switch (column) {
            case Column.Doubles(var field, var values, var ignored) ->
                new Column.Doubles(field, values, presence);
            case Column.Longs(var field, var values, var ignored) ->
                new Column.Longs(field, values, presence);
            case Column.Texts(var field, var bytes, var ends, var ignored) ->
                new Column.Texts(field, bytes, ends, presence);
          });
    }
    return left.isEmpty()
        ? null
        : select(new SampleGroup(group.key(), group.size(), group.times(), columns), left);
  }
}

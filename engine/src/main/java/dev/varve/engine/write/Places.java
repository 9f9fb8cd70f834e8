package dev.varve.engine.write;

import dev.varve.model.Column;
import dev.varve.model.SampleGroup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Selects places of a group of samples. */
final class Places {
  private Places() {}

  /**
   * Returns a group with some of the places of another.
   *
   * @param wanted at least one place
   */
  static SampleGroup select(SampleGroup group, BitSet wanted) {
    int[] places = wanted.stream().toArray();
    long[] times = new long[places.length];
    for (int i = 0; i < places.length; i++) {
      times[i] = group.times()[places[i]];
    }
    List<Column> columns = new ArrayList<>(group.columns().size());
    for (Column column : group.columns()) {
      Column selected = select(column, places);
      if (selected != null) {
        columns.add(selected);
      }
    }
    return new SampleGroup(group.key(), places.length, times, columns);
  }

  /** Returns a column with some of its places; null if it has no value at any of them. */
  private static @Nullable Column select(Column column, int[] places) {
    long[] presence = presence(column, places);
    if (presence != null && Arrays.stream(presence).allMatch(word -> word == 0)) {
      return null;
    }
    return switch (column) {
      case Column.Doubles(var field, var values, var ignored) -> {
        double[] selected = new double[places.length];
        for (int i = 0; i < places.length; i++) {
          selected[i] = values[places[i]];
        }
        yield new Column.Doubles(field, selected, presence);
      }
      case Column.Longs(var field, var values, var ignored) -> {
        long[] selected = new long[places.length];
        for (int i = 0; i < places.length; i++) {
          selected[i] = values[places[i]];
        }
        yield new Column.Longs(field, selected, presence);
      }
      case Column.Texts texts -> select(texts, places, presence);
    };
  }

  private static Column.Texts select(Column.Texts texts, int[] places, long @Nullable [] presence) {
    int[] ends = new int[places.length];
    int length = 0;
    for (int i = 0; i < places.length; i++) {
      length += texts.end(places[i]) - texts.start(places[i]);
      ends[i] = length;
    }
    byte[] bytes = new byte[length];
    for (int i = 0; i < places.length; i++) {
      int start = texts.start(places[i]);
      int size = texts.end(places[i]) - start;
      System.arraycopy(texts.bytes(), start, bytes, ends[i] - size, size);
    }
    return new Column.Texts(texts.field(), bytes, ends, presence);
  }

  private static long @Nullable [] presence(Column column, int[] places) {
    if (column.presence() == null) {
      return null;
    }
    long[] presence = new long[(places.length + 63) >>> 6];
    for (int i = 0; i < places.length; i++) {
      if (column.has(places[i])) {
        presence[i >>> 6] |= 1L << i;
      }
    }
    return presence;
  }

  /**
   * Returns a group without some of its values; null if no value is left.
   *
   * @param dropped for each column, the places whose values are dropped
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

package dev.varve.store.hbase;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.hbase.client.Delete;
import org.jspecify.annotations.Nullable;

/**
 * Applies the edits of one row, some of them deletes, one by one. Determines the puts that remain,
 * and tombstones that hide the earlier cells without hiding those puts.
 */
final class RowDeletes {
  /*
   * HBase has tombstones for a family or a column up to a time, and for one cell. A tombstone hides
   * every put that is not newer, of the same mutation as well as later ones. So it gets the time of
   * the newest cell that it must hide. If a put of the mutation is not newer than that, the column
   * is hidden up to just before that put, and newer cells are hidden one by one.
   */

  /** The effect on one column. */
  private static final class Column {
    private final TreeMap<Long, Integer> puts = new TreeMap<>();

    /** The column is hidden up to this time, inclusive; -1 for none. */
    private long hiddenTo = -1;

    private final TreeSet<Long> hidden = new TreeSet<>();

    void hideTo(long time) {
      hiddenTo = Math.max(hiddenTo, time);
    }
  }

  private final TableEntry table;
  private final ExistingTimes.OfRow existing;
  private final List<TreeMap<Bytes, Column>> families = new ArrayList<>();
  private final boolean[] wholeFamily;

  RowDeletes(TableEntry table, ExistingTimes.OfRow existing) {
    this.table = table;
    this.existing = existing;
    this.wholeFamily = new boolean[table.familyCount()];
    for (int i = 0; i < table.familyCount(); i++) {
      families.add(new TreeMap<>());
    }
  }

  private Column column(int family, Bytes qualifier) {
    return families.get(family).computeIfAbsent(qualifier, any -> new Column());
  }

  /**
   * Records a put. It replaces an earlier one of the same time or, in a family that keeps only the
   * latest cell, any earlier one.
   */
  void put(int family, Bytes qualifier, long time, int index) {
    Column column = column(family, qualifier);
    if (table.isLatestOnly(family)) {
      column.puts.clear();
    }
    column.puts.put(time, index);
  }

  void deleteColumn(int family, Bytes qualifier, TimeRange times) {
    if (times.isEmpty()) {
      return;
    }
    Column column = column(family, qualifier);
    boolean tookPut = column.puts.keySet().removeIf(times::contains);
    List<Long> there = existing.column(family, qualifier);
    if (tookPut && table.isLatestOnly(family)) {
      // That put had replaced the earlier cells.
      there.forEach(column::hideTo);
    }
    if (times.from() <= 0 && times.to() < Long.MAX_VALUE) {
      column.hideTo(times.to() - 1);
    } else if (times.from() <= 0) {
      there.forEach(column::hideTo);
    } else if (table.isLatestOnly(family)) {
      // Replaced older cells may still exist, and must not reappear.
      there.stream().limit(1).filter(times::contains).forEach(column::hideTo);
    } else {
      there.stream().filter(times::contains).forEach(column.hidden::add);
    }
  }

  void deleteQualifiers(int family, Bytes from, @Nullable Bytes to) {
    if (to != null && from.compareTo(to) >= 0) {
      return;
    }
    hideColumns(family, from, to);
  }

  void deleteFamily(int family) {
    hideColumns(family, Bytes.EMPTY, null);
    wholeFamily[family] = true;
  }

  void deleteRow() {
    for (int family = 0; family < families.size(); family++) {
      deleteFamily(family);
    }
  }

  private void hideColumns(int family, Bytes from, @Nullable Bytes to) {
    range(families.get(family), from, to).values().forEach(column -> column.puts.clear());
    range(existing.family(family), from, to)
        .forEach((qualifier, times) -> times.forEach(column(family, qualifier)::hideTo));
  }

  private static <V> SortedMap<Bytes, V> range(
      SortedMap<Bytes, V> columns, Bytes from, @Nullable Bytes to) {
    return to == null ? columns.tailMap(from) : columns.subMap(from, to);
  }

  /** Returns the batch indexes of the remaining puts. */
  List<Integer> puts() {
    return families.stream()
        .flatMap(family -> family.values().stream())
        .map(column -> column.puts.values())
        .flatMap(Collection::stream)
        .sorted()
        .toList();
  }

  /** Adds the tombstones. */
  void addTo(Delete delete) {
    for (int family = 0; family < families.size(); family++) {
      long familyTo = wholeFamily[family] ? newestHidden(family) : -1;
      if (familyTo >= 0 && oldestPut(family) > familyTo) {
        delete.addFamily(table.family(family), familyTo);
      } else {
        familyTo = -1;
      }
      for (var column : families.get(family).entrySet()) {
        addTo(delete, family, column.getKey(), column.getValue(), familyTo);
      }
    }
  }

  private long newestHidden(int family) {
    return families.get(family).values().stream()
        .mapToLong(column -> column.hiddenTo)
        .reduce(existing.newest(family), Math::max);
  }

  private long oldestPut(int family) {
    return families.get(family).values().stream()
        .filter(column -> !column.puts.isEmpty())
        .mapToLong(column -> column.puts.firstKey())
        .min()
        .orElse(Long.MAX_VALUE);
  }

  private void addTo(Delete delete, int family, Bytes qualifier, Column column, long familyTo) {
    long hideTo = column.hiddenTo;
    TreeSet<Long> one = new TreeSet<>(column.hidden);
    if (!column.puts.isEmpty() && column.puts.firstKey() <= hideTo) {
      long oldest = column.puts.firstKey();
      for (long time : existing.column(family, qualifier)) {
        if (time >= oldest && time <= hideTo) {
          one.add(time);
        }
      }
      hideTo = oldest - 1;
    }
    one.removeAll(column.puts.keySet());
    byte[] name = table.family(family);
    if (hideTo > familyTo) {
      delete.addColumns(name, qualifier.toArray(), hideTo);
    }
    for (long time : one) {
      if (time > Math.max(hideTo, familyTo)) {
        delete.addColumn(name, qualifier.toArray(), time);
      }
    }
  }
}

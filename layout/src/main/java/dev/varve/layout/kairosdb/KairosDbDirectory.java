package dev.varve.layout.kairosdb;

import dev.varve.layout.Binding;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Directory;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.RefusedException;
import dev.varve.layout.RowShape;
import dev.varve.layout.Step;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySelect;
import dev.varve.store.Limits;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The index of KairosDB, read as KairosDB reads it. The first step reads a time range of {@code
 * row_key_index} (the rows that versions before 1.2 wrote, one wide row per metric) and of {@code
 * row_key_time_index} (the row times since 1.2). The second step reads {@code row_keys} of each row
 * time, or {@code tag_indexed_row_keys} if a filter asks for values of an indexed tag. A row listed
 * by both generations of the index is returned once.
 *
 * <p>Unlike KairosDB, it uses {@code tag_indexed_row_keys} for indexed tags only: KairosDB finds no
 * rows if a filter names a tag that is not indexed.
 */
final class KairosDbDirectory implements Directory {
  private static final List<FamilySelect> FAMILY = List.of(FamilySelect.latest(0));

  private final RowShape rows;
  private final RowWidth width;
  private final IndexReader index;
  private final TagIndex tagIndex;
  private final KnownRows known;

  /**
   * @param known the cache of rows that were read before
   */
  KairosDbDirectory(
      RowShape rows, RowWidth width, IndexReader index, TagIndex tagIndex, KnownRows known) {
    this.known = known;
    this.rows = rows;
    this.width = width;
    this.index = index;
    this.tagIndex = tagIndex;
  }

  @Override
  public Step<Listing> rows(String metric, List<TagFilter> filters, TimeRange times) {
    if (times.isEmpty() || !KairosDbBinding.problem(metric).isEmpty()) {
      return Step.done(new Listing(List.of(), List.of()));
    }
    // A row that starts before the range may reach into it; one that starts at its end cannot.
    TimeRange rowTimes = new TimeRange(width.lowestFrom(times.from()), times.to());
    return new Step.Look<>(
        List.of(rowKeyIndex(metric, rowTimes), rowKeyTimeIndex(metric, rowTimes)),
        false,
        answers -> {
          Found found = new Found(metric);
          found.rowKeys(answers.get(0));
          SortedSet<Long> listed = found.rowTimes(answers.get(1));
          if (listed.isEmpty()) {
            return Step.done(found.listing());
          }
          Step.TableRead keys = keys(metric, filters, listed);
          return new Step.Look<>(
              List.of(keys),
              false,
              cells -> {
                found.typedKeys(keys.table(), cells.getFirst());
                return Step.done(found.listing());
              });
        });
  }

  /*
   * Format of a place: OLD and a qualifier of row_key_index, or NEW, a row time (8 bytes) and a
   * qualifier of row_keys.
   */
  private static final int OLD = 0;
  private static final int NEW = 1;

  @Override
  public Step<Page> page(String metric, TimeRange times, @Nullable Bytes place, int most) {
    if (times.isEmpty() || !KairosDbBinding.problem(metric).isEmpty()) {
      return Step.done(new Page(new Listing(List.of(), List.of()), null));
    }
    TimeRange rowTimes = new TimeRange(width.lowestFrom(times.from()), times.to());
    Found found = new Found(metric);
    if (place == null || place.at(0) == OLD) {
      Bytes from = place == null ? Bytes.EMPTY : place.slice(1, place.length());
      return oldPage(found, rowTimes, from, most);
    }
    long rowTime = ByteBuffer.wrap(place.toArray()).getLong(1);
    Bytes from = place.slice(1 + Long.BYTES, place.length());
    return newPage(
        found, new TimeRange(Math.max(rowTime, rowTimes.from()), rowTimes.to()), from, most);
  }

  private Step<Page> oldPage(Found found, TimeRange rowTimes, Bytes from, int most) {
    ReadPlan whole = rowKeyIndex(found.metric, rowTimes).plan();
    List<Slice> rest = new ArrayList<>();
    for (Slice slice : whole.slices()) {
      Bytes end = slice.toQualifier();
      if (end.isEmpty() || end.compareTo(from) > 0) {
        Bytes start = slice.fromQualifier();
        rest.add(
            new Slice(
                slice.partition(),
                slice.fromRow(),
                start.compareTo(from) > 0 ? start : from,
                slice.toRow(),
                end));
      }
    }
    if (rest.isEmpty()) {
      return newPage(found, rowTimes, Bytes.EMPTY, most);
    }
    ReadPlan plan = ReadPlan.of(rest, FAMILY).with(Limits.NONE.withCells(most));
    return new Step.Look<>(
        List.of(new Step.TableRead(Tables.ROW_KEY_INDEX, plan)),
        false,
        answers -> {
          CellBatch cells = answers.getFirst();
          found.rowKeys(cells);
          if (cells.size() < most) {
            return newPage(found, rowTimes, Bytes.EMPTY, most);
          }
          Bytes next = cells.qualifier(cells.size() - 1).successor();
          return Step.done(new Page(found.listing(), new KeyBytes().u8(OLD).raw(next).toBytes()));
        });
  }

  /** Returns a page with keys of the first row time of the range that has any. */
  private Step<Page> newPage(Found found, TimeRange rowTimes, Bytes from, int most) {
    return new Step.Look<>(
        List.of(rowKeyTimeIndex(found.metric, rowTimes)),
        false,
        answers -> {
          SortedSet<Long> listed = found.rowTimes(answers.getFirst());
          return listed.isEmpty()
              ? Step.done(new Page(found.listing(), null))
              : keysOf(found, listed, from, most);
        });
  }

  private Step<Page> keysOf(Found found, SortedSet<Long> rowTimes, Bytes from, int most) {
    long rowTime = rowTimes.first();
    KeyBytes key = new KeyBytes();
    Tuple.text(found.metric, key);
    Tuple.timestamp(rowTime, key.raw(Tables.DATA_POINTS_COLUMN));
    Bytes row = key.toBytes();
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.row(row, row, from, null)), FAMILY)
            .with(Limits.NONE.withCells(most));
    return new Step.Look<>(
        List.of(new Step.TableRead(Tables.ROW_KEYS, plan)),
        false,
        answers -> {
          CellBatch cells = answers.getFirst();
          found.typedKeys(Tables.ROW_KEYS, cells);
          if (cells.size() >= most) {
            Bytes next = cells.qualifier(cells.size() - 1).successor();
            return Step.done(new Page(found.listing(), newPlace(rowTime, next)));
          }
          SortedSet<Long> later = rowTimes.tailSet(rowTime + 1);
          return Step.done(
              new Page(
                  found.listing(), later.isEmpty() ? null : newPlace(later.first(), Bytes.EMPTY)));
        });
  }

  private static Bytes newPlace(long rowTime, Bytes qualifier) {
    return new KeyBytes().u8(NEW).i64(rowTime).raw(qualifier).toBytes();
  }

  /**
   * Reads the old index, whose qualifiers are row keys. Row times before 1970 sort after the
   * others.
   */
  private static Step.TableRead rowKeyIndex(String metric, TimeRange rowTimes) {
    Bytes row = Bytes.utf8(metric);
    List<Slice> slices = new ArrayList<>(2);
    if (rowTimes.to() > 0) {
      TimeRange late = rowTimes.intersect(new TimeRange(0, Long.MAX_VALUE));
      slices.add(Slice.row(row, row, key(metric, late.from()), key(metric, late.to())));
    }
    if (rowTimes.from() < 0) {
      Bytes end = rowTimes.to() < 0 ? key(metric, rowTimes.to()) : prefix(metric).prefixEnd();
      slices.add(Slice.row(row, row, key(metric, rowTimes.from()), end));
    }
    return new Step.TableRead(Tables.ROW_KEY_INDEX, ReadPlan.of(slices, FAMILY));
  }

  private static Bytes prefix(String metric) {
    return Bytes.utf8(metric).concat(Bytes.of((byte) 0));
  }

  private static Bytes key(String metric, long rowTime) {
    return new KeyBytes().raw(prefix(metric)).i64(rowTime).toBytes();
  }

  private static Step.TableRead rowKeyTimeIndex(String metric, TimeRange rowTimes) {
    Bytes row = Tuple.texts(metric);
    return new Step.TableRead(
        Tables.ROW_KEY_TIME_INDEX,
        ReadPlan.of(
            List.of(Slice.row(row, row, timeColumns(rowTimes.from()), timeColumns(rowTimes.to()))),
            FAMILY));
  }

  private static Bytes timeColumns(long rowTime) {
    KeyBytes out = new KeyBytes().raw(Tables.DATA_POINTS_COLUMN);
    Tuple.timestamp(rowTime, out);
    return out.toBytes();
  }

  /** Reads the row or rows that list the keys of each row time. */
  private Step.TableRead keys(String metric, List<TagFilter> filters, Collection<Long> rowTimes) {
    List<String> pairs = indexedPairs(metric, filters);
    List<Slice> slices = new ArrayList<>();
    for (long rowTime : rowTimes) {
      KeyBytes row = new KeyBytes();
      Tuple.text(metric, row);
      Tuple.timestamp(rowTime, row.raw(Tables.DATA_POINTS_COLUMN));
      if (pairs == null) {
        slices.add(Slice.row(row.toBytes(), row.toBytes()));
        continue;
      }
      int untagged = row.length();
      for (String pair : pairs) {
        row.truncate(untagged);
        Tuple.text(pair, row);
        slices.add(Slice.row(row.toBytes(), row.toBytes()));
      }
    }
    return new Step.TableRead(
        pairs == null ? Tables.ROW_KEYS : Tables.TAG_INDEXED_ROW_KEYS, ReadPlan.of(slices, FAMILY));
  }

  /**
   * Returns the pairs of the filter that allows the fewest values of an indexed tag; null if there
   * is no such filter. Every matching row has one of the pairs. A filter that allows the empty
   * value cannot be used because it also matches rows without the tag, nor can a filter on a label
   * that is not a tag.
   */
  private @Nullable List<String> indexedPairs(String metric, List<TagFilter> filters) {
    List<String> fewest = null;
    for (TagFilter filter : filters) {
      Collection<String> values =
          switch (filter) {
            case TagFilter.Equal equal -> List.of(equal.value());
            case TagFilter.In in -> in.values();
            case TagFilter.NotEqual f -> List.of();
            case TagFilter.Prefix f -> List.of();
            case TagFilter.Regex f -> List.of();
            case TagFilter.NotRegex f -> List.of();
            case TagFilter.Has f -> List.of();
          };
      if (!values.isEmpty()
          && !values.contains("")
          && !filter.name().equals(Series.NAME_LABEL)
          && !filter.name().equals(Series.FIELD_LABEL)
          && tagIndex.covers(metric, filter.name())
          && (fewest == null || values.size() < fewest.size())) {
        fewest = values.stream().map(value -> TagIndex.pair(filter.name(), value)).toList();
      }
    }
    return fewest;
  }

  @Override
  public Step<List<String>> metrics() {
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.row(Tables.METRIC_NAMES, Tables.METRIC_NAMES)), FAMILY);
    return new Step.Look<>(
        List.of(new Step.TableRead(Tables.STRING_INDEX, plan)),
        false,
        answers -> {
          SortedSet<String> names = new TreeSet<>();
          CellBatch cells = answers.getFirst();
          for (int i = 0; i < cells.size(); i++) {
            names.add(IndexReader.string(cells.cell(i)));
          }
          return Step.done(List.copyOf(names));
        });
  }

  @Override
  public Step<List<Bytes>> possibleRows(Binding binding) {
    KairosDbBinding key = (KairosDbBinding) binding;
    String metric = key.key().metric();
    return new Step.Look<>(
        List.of(rowKeyTimeIndex(metric, TimeRange.ALL)),
        false,
        answers -> {
          List<Bytes> possible = new ArrayList<>();
          for (long rowTime : new Found(metric).rowTimes(answers.getFirst())) {
            for (DataType type : DataType.WRITTEN) {
              possible.add(key.row(type, rowTime));
            }
          }
          return Step.done(possible);
        });
  }

  @Override
  public Step<List<IndexEdits>> removal(List<Binding> bindings, boolean metricGoes) {
    List<KairosDbBinding> keys = bindings.stream().map(KairosDbBinding.class::cast).toList();
    String metric = keys.getFirst().key().metric();
    return new Step.Look<>(
        List.of(rowKeyTimeIndex(metric, TimeRange.ALL)),
        false,
        answers -> {
          SortedSet<Long> rowTimes = new Found(metric).rowTimes(answers.getFirst());
          IndexRemoval removal = new IndexRemoval();
          for (KairosDbBinding key : keys) {
            rowTimes.forEach(rowTime -> removal.key(key, rowTime));
          }
          if (metricGoes) {
            removal.metric(keys.getFirst(), answers.getFirst());
          }
          return Step.done(removal.edits());
        });
  }

  /** Collects the rows of one metric from both generations of the index. */
  private final class Found {
    private final String metric;
    private final SortedMap<Bytes, Row> found = new TreeMap<>();
    private final List<String> damaged = new ArrayList<>();

    private Found(String metric) {
      this.metric = metric;
    }

    private Listing listing() {
      return new Listing(List.copyOf(found.values()), List.copyOf(damaged));
    }

    private void rowKeys(CellBatch cells) {
      each(Tables.ROW_KEY_INDEX, cells, cell -> add(cell.qualifier()));
    }

    private SortedSet<Long> rowTimes(CellBatch cells) {
      SortedSet<Long> rowTimes = new TreeSet<>();
      each(Tables.ROW_KEY_TIME_INDEX, cells, cell -> rowTimes.add(index.timeIndex(cell).rowTime()));
      return rowTimes;
    }

    private void typedKeys(int table, CellBatch cells) {
      Bytes of = Bytes.EMPTY;
      for (int i = 0; i < cells.size(); i++) {
        of = i > 0 && cells.sameRow(i - 1, i) ? of : cells.row(i);
        KnownRows.Place place = new KnownRows.Place(table, of, cells.qualifier(i));
        Row row = cells.valueLength(i) == 0 ? known.get(place) : null;
        if (row == null) {
          read(table, cells.cell(i), cell -> known.put(place, add(typedKey(table, cell))));
        } else {
          found.put(row.row(), row);
        }
      }
    }

    private Bytes typedKey(int table, Cell cell) {
      return (table == Tables.ROW_KEYS ? index.rowKeys(cell) : index.tagIndexedRowKeys(cell))
          .rowKey();
    }

    private Row add(Bytes row) {
      byte[] bytes = row.toArray();
      KeyOutput out = new KeyOutput();
      rows.decode(bytes, 0, bytes.length, out);
      GroupKey key = out.key();
      KairosDbBinding.check(key);
      if (!key.metric().equals(metric)) {
        throw new DamagedCellException("lists a row of metric '" + key.metric() + "'");
      }
      Row named = new Row(row, key);
      found.put(row, named);
      return named;
    }

    /** Reads cell by cell, so that a damaged cell does not hide others. */
    private void each(int table, CellBatch cells, Consumer<Cell> read) {
      for (int i = 0; i < cells.size(); i++) {
        read(table, cells.cell(i), read);
      }
    }

    private void read(int table, Cell cell, Consumer<Cell> read) {
      try {
        read.accept(cell);
      } catch (DamagedCellException | RefusedException e) {
        damaged.add(
            "table %s, row %s, qualifier %s: %s"
                .formatted(
                    Tables.ALL.get(table).name(), cell.row(), cell.qualifier(), e.getMessage()));
      }
    }
  }
}

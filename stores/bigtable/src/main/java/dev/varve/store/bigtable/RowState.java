package dev.varve.store.bigtable;

import static com.google.cloud.bigtable.data.v2.models.Filters.FILTERS;

import com.google.cloud.bigtable.data.v2.models.Filters.ChainFilter;
import com.google.cloud.bigtable.data.v2.models.Filters.Filter;
import com.google.cloud.bigtable.data.v2.models.Mutation;
import com.google.protobuf.ByteString;
import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.MutationBatch.Edit;
import dev.varve.store.QualifierRange;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state of a row that one mutation depends on: the columns within the ranges of qualifiers that
 * it deletes, and the newest times of the columns that it deletes by time. Encodes the mutation,
 * and the condition for applying it: that this state has not changed.
 */
final class RowState {
  private static final int FILTER_BYTES_MAX = 18 << 10;

  private record Column(int family, Bytes qualifier) implements Comparable<Column> {
    @Override
    public int compareTo(Column other) {
      int order = Integer.compare(family, other.family);
      return order == 0 ? qualifier.compareTo(other.qualifier) : order;
    }
  }

  private final MutationEncoder encoder;
  private final int first;
  private final int end;
  private final NavigableMap<Column, Long> seen = new TreeMap<>();

  /** Records the result of a read. */
  RowState(MutationEncoder encoder, int first, int end, @Nullable ReceivedRow row) {
    this.encoder = encoder;
    this.first = first;
    this.end = end;
    for (int i = 0; row != null && i < row.size(); i++) {
      seen.putIfAbsent(new Column(row.family(i), row.qualifier(i)), time(row, i));
    }
  }

  private long time(ReceivedRow row, int cell) {
    FamilyMapping family = encoder.table().family(row.family(cell));
    return family.isStamped() && row.valueLength(cell) >= FamilyMapping.STAMP_LENGTH
        ? ByteBuffer.wrap(row.bytes(), row.valueAt(cell), FamilyMapping.STAMP_LENGTH).getLong()
        : family.time(row.micros(cell));
  }

  /** Returns the filter for the read. */
  static Filter look(MutationEncoder encoder, int first, int end) {
    List<Filter> close = new ArrayList<>();
    NavigableMap<Integer, Filter> wide = new TreeMap<>();
    for (int i = first; i < end; i++) {
      if (encoder.needsLook(i)) {
        FamilyMapping family = encoder.family(i);
        close.add(newest(family, SegmentRequests.range(family.name(), columns(encoder, i))));
        wide.put(
            encoder.batch().cells().family(i),
            newest(family, FILTERS.family().exactMatch(family.name())));
      }
    }
    Filter filter = SegmentRequests.interleave(close);
    return filter.toProto().getSerializedSize() <= FILTER_BYTES_MAX
        ? filter
        : SegmentRequests.interleave(List.copyOf(wide.values()));
  }

  private static Filter newest(FamilyMapping family, Filter columns) {
    ChainFilter chain = FILTERS.chain().filter(columns).filter(FILTERS.limit().cellsPerColumn(1));
    return family.isStamped() ? chain : chain.filter(FILTERS.value().strip());
  }

  private static QualifierRange columns(MutationEncoder encoder, int edit) {
    return encoder.batch().edit(edit) == Edit.DELETE_COLUMN
        ? QualifierRange.exactly(encoder.qualifier(edit))
        : new QualifierRange(encoder.qualifier(edit), encoder.bound(edit));
  }

  /**
   * Returns a filter that selects something if the state has changed: a column has appeared in a
   * range, or a column's newest cell is a different one. Deleted columns do not matter. Null if
   * Bigtable would reject the filter for its size.
   */
  @Nullable Filter changed() {
    List<Filter> changes = new ArrayList<>();
    for (int i = first; i < end; i++) {
      if (encoder.needsLook(i)) {
        if (encoder.batch().edit(i) == Edit.DELETE_COLUMN) {
          changes.add(otherNewest(i));
        } else {
          addGaps(i, changes);
        }
      }
    }
    if (changes.isEmpty()) {
      return FILTERS.block();
    }
    Filter filter =
        FILTERS.chain().filter(SegmentRequests.interleave(changes)).filter(FILTERS.value().strip());
    return filter.toProto().getSerializedSize() <= FILTER_BYTES_MAX ? filter : null;
  }

  private void addGaps(int edit, List<Filter> into) {
    String family = encoder.family(edit).name();
    int index = encoder.batch().cells().family(edit);
    Bytes from = encoder.qualifier(edit);
    Bytes to = encoder.bound(edit);
    for (Column column : inRange(seen, index, from, to).keySet()) {
      if (from.compareTo(column.qualifier()) < 0) {
        into.add(SegmentRequests.range(family, new QualifierRange(from, column.qualifier())));
      }
      from = column.qualifier().successor();
    }
    if (from.compareTo(to) < 0) {
      into.add(SegmentRequests.range(family, new QualifierRange(from, to)));
    }
  }

  private Filter otherNewest(int edit) {
    FamilyMapping family = encoder.family(edit);
    Bytes qualifier = encoder.qualifier(edit);
    Long time = seen.get(new Column(encoder.batch().cells().family(edit), qualifier));
    ChainFilter newest =
        FILTERS
            .chain()
            .filter(SegmentRequests.range(family.name(), QualifierRange.exactly(qualifier)))
            .filter(FILTERS.limit().cellsPerColumn(1));
    if (time == null) {
      return newest;
    }
    if (family.isStamped()) {
      return newest.filter(
          FILTERS
              .interleave()
              .filter(FILTERS.value().range().endOpen(stamp(time)))
              .filter(FILTERS.value().range().startClosed(stamp(time + 1))));
    }
    long micros = family.micros(time);
    return newest.filter(
        FILTERS
            .interleave()
            .filter(FILTERS.timestamp().range().startClosed(0L).endOpen(micros))
            .filter(FILTERS.timestamp().range().startClosed(micros + FamilyMapping.MICROS_STEP)));
  }

  private static ByteString stamp(long time) {
    return ByteString.copyFrom(ByteBuffer.allocate(Long.BYTES).putLong(time).array());
  }

  private static NavigableMap<Column, Long> inRange(
      NavigableMap<Column, Long> columns, int family, Bytes from, Bytes to) {
    return columns.subMap(new Column(family, from), true, new Column(family, to), false);
  }

  /** Returns an upper bound of the number of edits in the mutation. */
  int edits() {
    return seen.size() + end - first;
  }

  /**
   * Encodes the edits one by one, tracking their effect on the state; returns the number of edits
   * in Bigtable.
   */
  int encode(Mutation into) {
    NavigableMap<Column, Long> now = new TreeMap<>(seen);
    int edits = 0;
    for (int i = first; i < end; i++) {
      if (encoder.needsLook(i)) {
        edits += deleteSeen(i, now, into);
      } else {
        edits += encoder.add(i, into);
        follow(i, now);
      }
    }
    return edits;
  }

  private int deleteSeen(int edit, NavigableMap<Column, Long> now, Mutation into) {
    int index = encoder.batch().cells().family(edit);
    List<Column> deleted = new ArrayList<>();
    if (encoder.batch().edit(edit) == Edit.DELETE_COLUMN) {
      Column column = new Column(index, encoder.qualifier(edit));
      Long time = now.get(column);
      if (time != null && encoder.batch().deletedTimes(edit).contains(time)) {
        deleted.add(column);
      }
    } else {
      deleted.addAll(inRange(now, index, encoder.qualifier(edit), encoder.bound(edit)).keySet());
    }
    for (Column column : deleted) {
      into.deleteCells(
          encoder.table().family(index).name(), SegmentRequests.bytes(column.qualifier()));
      now.remove(column);
    }
    return deleted.size();
  }

  /** Applies the effect of an edit that needs no read. */
  private void follow(int edit, NavigableMap<Column, Long> now) {
    switch (encoder.batch().edit(edit)) {
      case PUT -> {
        long time = encoder.batch().cells().time(edit);
        now.merge(column(edit), time, Math::max);
      }
      case DELETE_COLUMN -> {
        TimeRange times = encoder.batch().deletedTimes(edit);
        Long time = now.get(column(edit));
        boolean all = times.equals(TimeRange.ALL);
        boolean newest = encoder.family(edit).isLatest() && time != null && times.contains(time);
        if (all || newest) {
          now.remove(column(edit));
        }
      }
      case DELETE_FAMILY -> {
        int family = encoder.batch().cells().family(edit);
        now.keySet().removeIf(column -> column.family() == family);
      }
      case DELETE_ROW -> now.clear();
      case DELETE_QUALIFIERS -> {
        // Its range is empty.
      }
    }
  }

  private Column column(int edit) {
    return new Column(encoder.batch().cells().family(edit), encoder.qualifier(edit));
  }
}

package dev.varve.store.bigtable;

import static com.google.cloud.bigtable.data.v2.models.Filters.FILTERS;

import com.google.cloud.bigtable.data.v2.models.Filters.ChainFilter;
import com.google.cloud.bigtable.data.v2.models.Filters.Filter;
import com.google.cloud.bigtable.data.v2.models.Filters.InterleaveFilter;
import com.google.cloud.bigtable.data.v2.models.Filters.TimestampRangeFilter;
import com.google.cloud.bigtable.data.v2.models.Query;
import com.google.cloud.bigtable.data.v2.models.Range.ByteStringRange;
import com.google.cloud.bigtable.data.v2.models.TableId;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.Direction;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Creates requests for the segments of a plan. A request selects the cells of the plan, or more of
 * them if Bigtable cannot express the plan: the receiver checks each cell again.
 *
 * <p>Each family has its own chain of filters, interleaved with those of the others. Bigtable
 * guarantees no order of families, so a limit over all of them would cut at random.
 */
final class SegmentRequests {
  static final int ALL_FAMILIES = -1;

  /** Just below Bigtable's limit for filters, 20 KiB. */
  private static final int FILTER_BYTES_MAX = 18 << 10;

  /** Greater row limits are omitted. */
  private static final long ROWS_MAX = 1L << 40;

  /** The precision with which a filter selects the qualifiers of a plan. */
  private enum Closeness {
    EXACT,
    /** One range that covers all of them. */
    COVERING,
    /** Every qualifier of the family, because the bounds are too long for a filter. */
    NONE
  }

  private final TableMapping table;
  private final ReadPlan plan;

  SegmentRequests(TableMapping table, ReadPlan plan) {
    this.table = table;
    this.plan = plan;
  }

  /**
   * Returns the request for a segment; null if it cannot contain wanted cells.
   *
   * @param onlyFamily the one family to read, or {@link #ALL_FAMILIES}
   * @param chunk maximum number of cells of one family and row to send
   * @param rows maximum number of wanted rows
   * @param cellsOfFamily number of cells already delivered of the row and family in which the
   *     segment starts
   */
  @Nullable SegmentRequest of(
      Segment segment, int onlyFamily, int chunk, long rows, int cellsOfFamily) {
    for (Closeness closeness : Closeness.values()) {
      int[] chunks = new int[table.spec().families().size()];
      Arrays.fill(chunks, Integer.MAX_VALUE);
      boolean exact = closeness == Closeness.EXACT;
      List<Filter> filters = new ArrayList<>();
      for (FamilySelect select : plan.families()) {
        if (!table.isAbsent(select.family())
            && (onlyFamily == ALL_FAMILIES || onlyFamily == select.family())) {
          exact &= !isTrimmedByTime(select);
          int left = cellsLeft(segment, select, cellsOfFamily);
          Filter filter = family(segment, select, closeness, chunk, left, chunks);
          if (filter != null) {
            filters.add(filter);
          }
        }
      }
      if (filters.isEmpty()) {
        return null;
      }
      Filter filter = interleave(filters);
      if (closeness == Closeness.NONE || filter.toProto().getSerializedSize() <= FILTER_BYTES_MAX) {
        return new SegmentRequest(
            segment, query(segment, filter, exact ? rows : Long.MAX_VALUE), chunks);
      }
    }
    return null;
  }

  /** Returns whether the times of a family are checked only after its cells have arrived. */
  private boolean isTrimmedByTime(FamilySelect select) {
    return table.family(select.family()).isLatest() && !select.times().equals(TimeRange.ALL);
  }

  private int cellsLeft(Segment segment, FamilySelect select, int cellsOfFamily) {
    Position after = segment.after();
    int before = after != null && after.family() == select.family() ? cellsOfFamily : 0;
    return plan.limits().cellsPerRow() - before;
  }

  private Query query(Segment segment, Filter filter, long rows) {
    Query query = Query.create(TableId.of(table.id())).filter(filter);
    if (segment.isOneRow()) {
      return query.rowKey(bytes(segment.fromRow()));
    }
    query.range(rowRange(segment));
    if (plan.direction() == Direction.REVERSE) {
      query.reversed(true);
    }
    return rows > ROWS_MAX ? query : query.limit(rows);
  }

  private static ByteStringRange rowRange(Segment segment) {
    ByteStringRange range = ByteStringRange.unbounded();
    if (!segment.fromRow().isEmpty()) {
      range.startClosed(bytes(segment.fromRow()));
    }
    Bytes toRow = segment.toRow();
    if (toRow != null) {
      range.endOpen(bytes(toRow));
    }
    return range;
  }

  private @Nullable Filter family(
      Segment segment,
      FamilySelect select,
      Closeness closeness,
      int chunk,
      int left,
      int[] chunks) {
    int index = select.family();
    FamilyMapping family = table.family(index);
    Position after = segment.after();
    if (left <= 0 || (after != null && index < after.family())) {
      return null;
    }
    Filter times = family.isLatest() ? FILTERS.pass() : times(family, select.times());
    if (times == null) {
      return null;
    }
    List<Filter> parts = new ArrayList<>();
    Bytes from = segment.fromQualifier();
    if (after != null && index == after.family()) {
      Filter column = closeness == Closeness.EXACT ? restOfColumn(segment, select, after) : null;
      if (column != null) {
        parts.add(column);
      }
      // If the column is not restricted by time, all of it is sent again.
      Bytes next = closeness == Closeness.EXACT ? after.qualifier().successor() : after.qualifier();
      from = from.compareTo(next) >= 0 ? from : next;
    }
    List<QualifierRange> ranges =
        QualifierRange.clip(select.qualifiers(), from, segment.toQualifier());
    if (!ranges.isEmpty()) {
      parts.add(columns(family, select, qualifiers(family.name(), ranges, closeness), times));
    }
    if (parts.isEmpty()) {
      return null;
    }
    ChainFilter chain = FILTERS.chain().filter(interleave(parts));
    // With unrestricted qualifiers a read could not continue after a chunk, so all cells must come
    // at once.
    if (closeness != Closeness.NONE) {
      boolean wanted = closeness == Closeness.EXACT && !isTrimmedByTime(select) && left <= chunk;
      chunks[index] = wanted ? Integer.MAX_VALUE : chunk;
      chain.filter(FILTERS.limit().cellsPerRow(wanted ? left : chunk));
    }
    // A stamp is part of the value.
    return plan.values() || family.isStamped() ? chain : chain.filter(FILTERS.value().strip());
  }

  /** Returns the filter for a time range; null if no cell can have such a time. */
  private static @Nullable Filter times(FamilyMapping family, TimeRange times) {
    if (times.equals(TimeRange.ALL)) {
      return FILTERS.pass();
    }
    long from = family.firstMicrosFrom(times.from());
    long to = family.firstMicrosFrom(times.to());
    if (from >= to) {
      return null;
    }
    TimestampRangeFilter range = FILTERS.timestamp().range().startClosed(from);
    return to == Long.MAX_VALUE ? range : range.endOpen(to);
  }

  /**
   * Returns a filter for the cells of a column after a delivered one; null if none of them is
   * wanted.
   */
  private @Nullable Filter restOfColumn(Segment segment, FamilySelect select, Position after) {
    FamilyMapping family = table.family(select.family());
    int versions = select.versions() - after.versionsSeen();
    TimeRange times = select.times().intersect(new TimeRange(Long.MIN_VALUE, after.time()));
    Filter older = times.isEmpty() ? null : times(family, times);
    QualifierRange column = QualifierRange.exactly(after.qualifier());
    boolean inSegment =
        !QualifierRange.clip(List.of(column), segment.fromQualifier(), segment.toQualifier())
            .isEmpty();
    if (family.isLatest() || versions <= 0 || older == null || !inSegment) {
      return null;
    }
    ChainFilter chain = FILTERS.chain().filter(range(family.name(), column));
    if (family.maxVersions() != FamilySpec.ALL_VERSIONS) {
      chain.filter(FILTERS.limit().cellsPerColumn(family.maxVersions()));
    }
    chain.filter(older);
    return select.versions() == FamilySpec.ALL_VERSIONS
        ? chain
        : chain.filter(FILTERS.limit().cellsPerColumn(versions));
  }

  /** Removes versions beyond those that the family keeps before it filters by time. */
  private static Filter columns(
      FamilyMapping family, FamilySelect select, Filter qualifiers, Filter times) {
    ChainFilter chain = FILTERS.chain().filter(qualifiers);
    if (family.maxVersions() != FamilySpec.ALL_VERSIONS) {
      chain.filter(FILTERS.limit().cellsPerColumn(family.maxVersions()));
    }
    if (!family.isLatest() && !select.times().equals(TimeRange.ALL)) {
      chain.filter(times);
    }
    return select.versions() < family.maxVersions()
        ? chain.filter(FILTERS.limit().cellsPerColumn(select.versions()))
        : chain;
  }

  private static Filter qualifiers(
      String family, List<QualifierRange> ranges, Closeness closeness) {
    return switch (closeness) {
      case EXACT -> interleave(ranges.stream().map(range -> range(family, range)).toList());
      case COVERING ->
          range(family, new QualifierRange(ranges.getFirst().from(), ranges.getLast().to()));
      case NONE -> FILTERS.family().exactMatch(family);
    };
  }

  static Filter range(String family, QualifierRange range) {
    var filter = FILTERS.qualifier().rangeWithinFamily(family);
    if (!range.from().isEmpty()) {
      filter.startClosed(bytes(range.from()));
    }
    Bytes to = range.to();
    if (to != null) {
      filter.endOpen(bytes(to));
    }
    return filter;
  }

  /** Returns the union of filters, which must not overlap. */
  static Filter interleave(List<Filter> filters) {
    if (filters.size() == 1) {
      return filters.getFirst();
    }
    InterleaveFilter interleave = FILTERS.interleave();
    filters.forEach(interleave::filter);
    return interleave;
  }

  static ByteString bytes(Bytes bytes) {
    return UnsafeByteOperations.unsafeWrap(bytes.toArray());
  }
}

package dev.varve.store.bigtable;

import dev.varve.model.Bytes;
import dev.varve.store.FamilySelect;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.StoreException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Walks a received row, or a part of it, and decides for each cell whether the plan wants it,
 * whatever was requested from Bigtable.
 */
final class RowPart {
  private final TableMapping table;
  private final ReadPlan plan;
  private final SegmentRequest request;
  private final ReceivedRow row;
  private int cell = -1;

  /** The current column: the index of its first cell, and the number of its wanted cells so far. */
  private int column = -1;

  private int versions;

  RowPart(TableMapping table, ReadPlan plan, SegmentRequest request, ReceivedRow row) {
    this.table = table;
    this.plan = plan;
    this.request = request;
    this.row = row;
  }

  ReceivedRow row() {
    return row;
  }

  Segment segment() {
    return request.segment();
  }

  /** Returns the current cell. */
  int cell() {
    return cell;
  }

  /** Returns the family of the next cell; {@link Integer#MAX_VALUE} at the end. */
  int nextFamily() {
    return cell + 1 < row.size() ? row.family(cell + 1) : Integer.MAX_VALUE;
  }

  boolean next() {
    cell++;
    if (cell < row.size() && !isInColumn()) {
      column = cell;
      versions = isBehindsColumn() ? versionsBefore() : 0;
    }
    return cell < row.size();
  }

  private boolean isInColumn() {
    return column >= 0
        && row.family(column) == row.family(cell)
        && row.qualifierLength(column) == row.qualifierLength(cell)
        && Arrays.equals(
            row.bytes(),
            row.qualifierAt(column),
            row.valueAt(column),
            row.bytes(),
            row.qualifierAt(cell),
            row.valueAt(cell));
  }

  private boolean isBehindsColumn() {
    Position after = segment().after();
    return after != null
        && after.family() == row.family(cell)
        && compareQualifier(after.qualifier()) == 0;
  }

  private int versionsBefore() {
    Position after = segment().after();
    return after == null ? 0 : after.versionsSeen();
  }

  /** Compares the current qualifier with another. */
  private int compareQualifier(Bytes other) {
    return -other.compareTo(row.bytes(), row.qualifierAt(cell), row.qualifierLength(cell));
  }

  /** Returns the cell's time in the unit of the table. */
  long time() {
    FamilyMapping family = table.family(row.family(cell));
    if (!family.isStamped()) {
      return family.time(row.micros(cell));
    }
    if (row.valueLength(cell) < FamilyMapping.STAMP_LENGTH) {
      throw new StoreException(
          "a cell of family '%s' of table '%s' has %d bytes and no room for its time: row %s, qualifier %s"
              .formatted(
                  family.name(),
                  table.spec().name(),
                  row.valueLength(cell),
                  row.key(),
                  row.qualifier(cell)));
    }
    return ByteBuffer.wrap(row.bytes(), row.valueAt(cell), FamilyMapping.STAMP_LENGTH).getLong();
  }

  int valueAt() {
    return row.valueAt(cell) + stampLength();
  }

  int valueLength() {
    return row.valueLength(cell) - stampLength();
  }

  private int stampLength() {
    return table.family(row.family(cell)).isStamped() ? FamilyMapping.STAMP_LENGTH : 0;
  }

  /** Returns the number of bytes of key, qualifier and value. */
  long weight() {
    return (long) row.keyBytes().length + row.qualifierLength(cell) + valueLength();
  }

  /**
   * Returns the number of the cell among the wanted cells of its column, starting at 1; 0 if it is
   * not wanted.
   */
  int wantedVersion(FamilySelect select) {
    long time = time();
    if (isBefore(segment().after(), time)
        || !isInSegment()
        || !isInOneOf(select.qualifiers())
        || isOlderVersion()
        || !select.times().contains(time)
        || versions >= select.versions()) {
      return 0;
    }
    return ++versions;
  }

  /**
   * A latest family has one cell per column; older cells that Bigtable still has count as deleted.
   */
  private boolean isOlderVersion() {
    return cell > column && table.family(row.family(cell)).isLatest();
  }

  private boolean isBefore(@Nullable Position after, long time) {
    if (after == null || row.family(cell) != after.family()) {
      return after != null && row.family(cell) < after.family();
    }
    int order = compareQualifier(after.qualifier());
    return order < 0 || (order == 0 && time >= after.time());
  }

  private boolean isInSegment() {
    Bytes to = segment().toQualifier();
    return compareQualifier(segment().fromQualifier()) >= 0
        && (to == null || compareQualifier(to) < 0);
  }

  private boolean isInOneOf(List<QualifierRange> ranges) {
    for (QualifierRange range : ranges) {
      Bytes to = range.to();
      if (compareQualifier(range.from()) >= 0 && (to == null || compareQualifier(to) < 0)) {
        return true;
      }
    }
    return ranges.isEmpty();
  }

  /**
   * Returns where to request more cells of a family after all received ones; null if Bigtable has
   * sent them all.
   */
  @Nullable Position rest(int family) {
    int cells = 0;
    int last = -1;
    for (int i = 0; i < row.size(); i++) {
      if (row.family(i) == family) {
        cells++;
        last = i;
      }
    }
    if (last < 0 || cells < request.chunks()[family]) {
      return null;
    }
    Bytes qualifier = row.qualifier(last);
    boolean sameColumn =
        column >= 0 && row.family(column) == family && row.qualifier(column).equals(qualifier);
    int before = cell;
    cell = last;
    long time = time();
    cell = before;
    return new Position(family, qualifier, time, sameColumn ? versions : 0);
  }

  FamilySelect select(int family) {
    for (FamilySelect select : plan.families()) {
      if (select.family() == family) {
        return select;
      }
    }
    throw new StoreException(
        "Bigtable returned family '%s' of table '%s', which was not asked for"
            .formatted(table.family(family).name(), table.spec().name()));
  }
}

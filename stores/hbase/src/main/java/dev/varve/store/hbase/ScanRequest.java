package dev.varve.store.hbase;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.Direction;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.Limits;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.FamilyFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.jspecify.annotations.Nullable;

/**
 * Builds the scan for a stretch, or for several rows. Omits families that cannot contain wanted
 * cells.
 */
final class ScanRequest {
  /*
   * HBase counts versions within a time range, and keeps replaced versions for a while. Asked for
   * the times before t in a family of one version, it may return the version that was replaced at
   * t. So if a family keeps few versions, the scan has no upper time bound, and the reader skips
   * cells that are too new.
   *
   * A scan has one number of versions for all families: it is the highest one, and the reader
   * counts.
   *
   * The tombstone of a family is sorted by its time among the cells of the empty qualifier. A
   * filter that seeks past newer cells there skips the tombstone, and the cells it hides reappear.
   * So the empty qualifier is always requested along with a range, and the reader filters it.
   */
  private static final int CELLS_AT_LEAST = 128;
  private static final int CELLS_AT_MOST = 4096;
  private static final long BYTES_AT_ONCE = 1 << 20;

  private final ReadPlan plan;
  private final TableEntry table;
  private final ScanRange stretch;
  private final List<ScanRange> rows;
  private final List<FamilySelect> families;

  /**
   * @param stretches one, or several rows of which each {@link #mayShare} a scan with the next
   */
  ScanRequest(ReadPlan plan, TableEntry table, List<ScanRange> stretches) {
    this.plan = plan;
    this.table = table;
    this.stretch = stretches.getFirst();
    this.rows = stretches.size() == 1 ? List.of() : stretches;
    this.families =
        stretch.families().stream()
            .filter(select -> select.times().to() > 0)
            .filter(select -> !select.times().isEmpty())
            .toList();
  }

  /**
   * Returns whether one scan can read two stretches in this order: whole rows, with all columns of
   * the same families, in the order of the table. A limit on rows or cells may end a read before it
   * needs the second.
   */
  static boolean mayShare(ReadPlan plan, ScanRange first, ScanRange second) {
    return plan.direction() == Direction.FORWARD
        && plan.limits().rows() == Long.MAX_VALUE
        && plan.limits().cells() == Long.MAX_VALUE
        && first.isOneRow()
        && second.isOneRow()
        && first.fromRow().compareTo(second.fromRow()) < 0
        && first.families().equals(second.families())
        && first.families().stream().allMatch(select -> select.qualifiers().isEmpty());
  }

  boolean isEmpty() {
    return families.isEmpty();
  }

  /**
   * Returns the scan.
   *
   * @param rows maximum number of rows needed
   */
  Scan scan(long rows) {
    Scan scan = new Scan().setCacheBlocks(!readsWholeTable());
    setRows(scan);
    families.forEach(select -> addFamily(scan, select));
    scan.setFilter(filter());
    int versions = families.stream().mapToInt(this::versionsNeeded).max().orElse(1);
    scan.readVersions(versions);
    int page = Math.clamp(plan.limits().pageCells(), CELLS_AT_LEAST, CELLS_AT_MOST);
    scan.setAllowPartialResults(true).setBatch(page).setCaching(page);
    scan.setMaxResultSize(BYTES_AT_ONCE);
    if (families.stream().allMatch(select -> isExact(select, versions))) {
      setLimits(scan, plan.limits(), rows);
    }
    return scan;
  }

  private boolean readsWholeTable() {
    return stretch.fromRow().isEmpty() && stretch.endRow() == null;
  }

  private void setRows(Scan scan) {
    byte[] from = stretch.fromRow().toArray();
    byte[] end = stretch.endRow() == null ? new byte[0] : stretch.endRow().toArray();
    if (!rows.isEmpty()) {
      scan.withStartRow(from, true).withStopRow(rows.getLast().fromRow().toArray(), true);
    } else if (stretch.isOneRow()) {
      scan.withStartRow(from, true).withStopRow(from, true).setReadType(Scan.ReadType.PREAD);
    } else if (plan.direction() == Direction.FORWARD) {
      scan.withStartRow(from, true).withStopRow(end, false);
    } else {
      scan.setReversed(true).withStartRow(end, false).withStopRow(from, true);
    }
  }

  private void addFamily(Scan scan, FamilySelect select) {
    byte[] family = table.family(select.family());
    if (namesColumns(select)) {
      select.qualifiers().forEach(range -> scan.addColumn(family, range.from().toArray()));
    } else {
      scan.addFamily(family);
    }
    TimeRange times = select.times();
    long to = keepsFew(select) ? Long.MAX_VALUE : times.to();
    if (times.from() > 0 || to < Long.MAX_VALUE) {
      scan.setColumnFamilyTimeRange(family, Math.max(0, times.from()), to);
    }
  }

  private static boolean namesColumns(FamilySelect select) {
    return !select.qualifiers().isEmpty()
        && select.qualifiers().stream()
            .allMatch(range -> range.from().successor().equals(range.to()));
  }

  private boolean keepsFew(FamilySelect select) {
    return table.maxVersions(select.family()) != FamilySpec.ALL_VERSIONS;
  }

  private boolean isCut(FamilySelect select) {
    return keepsFew(select) && select.times().to() < Long.MAX_VALUE;
  }

  private int versionsNeeded(FamilySelect select) {
    int kept = table.maxVersions(select.family());
    return isCut(select) ? kept : Math.min(kept, select.versions());
  }

  /** Returns whether the reader needs every returned cell of the family. */
  private boolean isExact(FamilySelect select, int versions) {
    return !isCut(select)
        && versionsNeeded(select) == versions
        && !namesRange(select)
        && (!isReversed() || select.qualifiers().isEmpty());
  }

  private void setLimits(Scan scan, Limits limits, long rows) {
    if (rows < Integer.MAX_VALUE) {
      scan.setLimit((int) rows);
    }
    if (limits.cellsPerRow() < Integer.MAX_VALUE) {
      scan.setMaxResultsPerColumnFamily(limits.cellsPerRow());
    }
  }

  /**
   * Returns whether rows are read in reverse. Filter lists compare the columns that they seek to as
   * if these were reversed too, and skip wanted ones. A reverse scan therefore has no such filter,
   * and the reader selects the columns.
   */
  private boolean isReversed() {
    return plan.direction() == Direction.REVERSE && !stretch.isOneRow();
  }

  private boolean namesRange(FamilySelect select) {
    return !select.qualifiers().isEmpty() && !namesColumns(select);
  }

  private @Nullable Filter filter() {
    boolean columns = !isReversed() && families.stream().anyMatch(this::namesRange);
    Filter cells = rows.isEmpty() ? columns ? columns() : null : new MultiRowRangeFilter(points());
    if (plan.values()) {
      return cells;
    }
    Filter keys = new KeyOnlyFilter();
    return cells == null ? keys : and(cells, keys);
  }

  /** Returns the ranges of one row each, in a list that the filter may sort. */
  private List<MultiRowRangeFilter.RowRange> points() {
    List<MultiRowRangeFilter.RowRange> points = new ArrayList<>(rows.size());
    for (ScanRange row : rows) {
      byte[] key = row.fromRow().toArray();
      points.add(new MultiRowRangeFilter.RowRange(key, true, key, true));
    }
    return points;
  }

  private Filter columns() {
    List<Filter> any = new ArrayList<>();
    for (FamilySelect select : families) {
      @Nullable Filter ofFamily =
          families.size() == 1
              ? null
              : new FamilyFilter(
                  CompareOperator.EQUAL, new BinaryComparator(table.family(select.family())));
      if (namesRange(select)) {
        if (!select.qualifiers().getFirst().from().isEmpty()) {
          any.add(and(ofFamily, columns(QualifierRange.exactly(Bytes.EMPTY))));
        }
        select.qualifiers().forEach(range -> any.add(and(ofFamily, columns(range))));
      } else if (ofFamily != null) {
        any.add(ofFamily);
      }
    }
    return new FilterList(FilterList.Operator.MUST_PASS_ONE, any);
  }

  private static Filter and(@Nullable Filter first, Filter second) {
    return first == null
        ? second
        : new FilterList(FilterList.Operator.MUST_PASS_ALL, List.of(first, second));
  }

  private static Filter columns(QualifierRange range) {
    Bytes to = range.to();
    return new ColumnRangeFilter(
        range.from().toArray(), true, to == null ? null : to.toArray(), false);
  }
}

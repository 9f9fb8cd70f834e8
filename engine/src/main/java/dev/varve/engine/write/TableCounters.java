package dev.varve.engine.write;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.layout.Layout;
import dev.varve.layout.guardrail.Finding;
import dev.varve.layout.guardrail.Guardrails;
import dev.varve.model.Bytes;
import dev.varve.store.Capabilities;
import dev.varve.store.Capabilities.RowOrder;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.SizeLimits;
import java.util.List;

/**
 * Counts writes to a table since the process started, for the guardrails, including the approximate
 * sizes of its largest rows. Safe for use by several threads.
 */
final class TableCounters {
  /*
   * Row sizes are kept in a table indexed by a hash of the row key. If two rows share an entry,
   * writes to the row without the entry reduce its size, and take the entry over once they exceed
   * it (after Misra and Gries, 1982). Rows that grow large therefore keep their entries. Collisions
   * make sizes too low; cells that replace others make them too high.
   */
  private static final int ENTRIES = 1 << 14;
  private static final Hasher64 HASHER = Hashing.xxh3_64();

  /** Receives findings of the guardrails. */
  interface Alarm {
    /**
     * Called for each finding.
     *
     * @param row the row of the finding
     */
    void found(PlacedLayout layout, Bytes row, Finding finding);
  }

  private final PlacedLayout layout;
  private final String storeKind;
  private final Capabilities capabilities;
  private final SizeLimits limits;

  /**
   * The unit that is counted: a row, or a partition if the store orders rows only within
   * partitions.
   */
  private final Partitioning partitioning;

  private final Alarm alarm;
  private final boolean ofSamples;

  /** Guarded by this, like all fields below. */
  private final long[] rows = new long[ENTRIES];

  private final long[] rowBytes = new long[ENTRIES];
  private final int[] rowCells = new int[ENTRIES];
  private long cells;
  private long coordinateBytes;
  private long valueBytes;
  private boolean toldOverhead;
  private boolean reportedValue;

  /**
   * Creates the counters of a table.
   *
   * @param table index of the table in the layout; overhead is checked for the data table only
   */
  TableCounters(
      PlacedLayout layout, int table, String storeKind, Capabilities capabilities, Alarm alarm) {
    this.layout = layout;
    this.storeKind = storeKind;
    this.capabilities = capabilities;
    this.limits = capabilities.limits();
    this.partitioning =
        capabilities.order() == RowOrder.PARTITION
            ? layout.table(table).spec().partitioning()
            : Partitioning.ROW;
    this.alarm = alarm;
    this.ofSamples = table == layout.layout().dataTable();
  }

  /**
   * Counts the edits of a batch.
   *
   * @return the number of edits of its longest mutation
   */
  int count(MutationBatch batch) {
    int longest = 0;
    int end;
    for (int first = 0; first < batch.size(); first = end) {
      end = batch.mutationEnd(first);
      longest = Math.max(longest, end - first);
      countRow(batch.cells(), first, end);
    }
    if (ofSamples && !batch.isEmpty()) {
      checkOverhead(batch.cells());
    }
    return longest;
  }

  private void countRow(CellBatch batch, int first, int end) {
    long qualifiers = 0;
    long values = 0;
    int largest = first;
    for (int cell = first; cell < end; cell++) {
      qualifiers += batch.qualifierLength(cell);
      values += batch.valueLength(cell);
      if (batch.valueLength(cell) > batch.valueLength(largest)) {
        largest = cell;
      }
    }
    if (batch.valueLength(largest) > limits.softValue()) {
      checkValue(batch, largest);
    }
    int row = batch.rowOffset(first);
    int counted = partitioning.prefixLength(batch.bytes(), row, batch.rowLength(first));
    long hash = HASHER.hashBytesToLong(batch.bytes(), row, counted);
    long bytes;
    long before;
    int rowCellCount;
    synchronized (this) {
      cells += end - first;
      coordinateBytes += batch.rowLength(first) + qualifiers;
      valueBytes += values;
      int entry = (int) hash & (ENTRIES - 1);
      if (rows[entry] != hash) {
        if (rowBytes[entry] > qualifiers + values) {
          rowBytes[entry] -= qualifiers + values;
          return;
        }
        rows[entry] = hash;
        rowBytes[entry] = 0;
        rowCells[entry] = 0;
      }
      before = rowBytes[entry];
      bytes = before + qualifiers + values;
      rowBytes[entry] = bytes;
      rowCells[entry] += end - first;
      rowCellCount = rowCells[entry];
    }
    if (passes(before, bytes, limits.softRow() / 2)
        || passes(before, bytes, limits.softRow())
        || passes(rowCellCount - (end - first), rowCellCount, Guardrails.PARTITION_CELLS)) {
      tell(
          batch.row(first),
          Guardrails.row(layout.layout(), storeKind, capabilities, bytes, rowCellCount));
    }
  }

  private static boolean passes(long before, long after, long threshold) {
    return before < threshold && after >= threshold;
  }

  private void checkValue(CellBatch batch, int cell) {
    synchronized (this) {
      if (reportedValue) {
        return;
      }
      reportedValue = true;
    }
    Layout of = layout.layout();
    tell(batch.row(cell), Guardrails.value(of, limits, batch.valueLength(cell)));
  }

  private void checkOverhead(CellBatch batch) {
    List<Finding> findings;
    synchronized (this) {
      if (toldOverhead) {
        return;
      }
      findings = Guardrails.overhead(layout.layout(), cells, coordinateBytes, valueBytes);
      toldOverhead = !findings.isEmpty();
    }
    tell(batch.row(0), findings);
  }

  private void tell(Bytes row, List<Finding> findings) {
    for (Finding finding : findings) {
      alarm.found(layout, row, finding);
    }
  }
}

package dev.varve.engine.write;

import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.tables.Applier;
import dev.varve.engine.tables.Applier.Rejected;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Refusal;
import dev.varve.layout.RowSamples;
import dev.varve.layout.guardrail.Finding;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.store.Capabilities;
import dev.varve.store.CellBatch;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies edits to the tables of a dataset's layouts, and counts them against the guardrails. Safe
 * for use by several threads.
 */
public final class TableWriters {
  private static final Logger LOG = LoggerFactory.getLogger(TableWriters.class);

  private static final int POOLED = 8;
  private static final long POOLED_BYTES_MAX = 16 << 20;

  private final OpenDataset dataset;

  /** By slot, then by table. */
  private final List<List<TableWriter>> tables = new ArrayList<>();

  /** Cleared edits for reuse, by slot. */
  private final List<ArrayBlockingQueue<LayoutEdits>> pools = new ArrayList<>();

  /**
   * Writers of samples hold it shared from the assignment of stamps on. A rewrite of rows holds it
   * exclusively: it must have read every sample that was accepted before.
   */
  private final ReadWriteLock rows = new ReentrantReadWriteLock();

  private final LongAdder findings = new LongAdder();

  private record TableWriter(Applier applier, TableCounters counters) {}

  TableWriters(OpenDataset dataset) {
    this.dataset = dataset;
    for (Period period : dataset.periods().all()) {
      for (PlacedLayout layout : period.layouts()) {
        pools.add(new ArrayBlockingQueue<>(POOLED));
        tables.add(writers(layout));
      }
    }
  }

  private List<TableWriter> writers(PlacedLayout layout) {
    List<TableWriter> writers = new ArrayList<>();
    for (int table = 0; table < layout.layout().tables().size(); table++) {
      Table of = layout.table(table);
      Capabilities capabilities = dataset.store().capabilities(of.spec());
      TableCounters counters =
          new TableCounters(layout, table, dataset.store().kind(), capabilities, this::found);
      writers.add(new TableWriter(new Applier(of, capabilities.limits()), counters));
    }
    return writers;
  }

  private void found(PlacedLayout layout, Bytes row, Finding finding) {
    findings.increment();
    LOG.warn("dataset '{}', layout '{}', row {}: {}", dataset.name(), layout.name(), row, finding);
  }

  /** Returns how many guardrail findings there were. */
  long findings() {
    return findings.sum();
  }

  /** Returns empty edits of a layout, to be returned with {@link #giveBack}. */
  LayoutEdits take(PlacedLayout layout) {
    LayoutEdits pooled = pools.get(layout.slot()).poll();
    return pooled != null ? pooled : new LayoutEdits(layout);
  }

  void giveBack(LayoutEdits edits) {
    if (edits.byteCount() <= POOLED_BYTES_MAX) {
      edits.clear();
      pools.get(edits.layout().slot()).offer(edits);
    }
  }

  /** Returns the lock that every writer of samples holds. It is taken after that of companions. */
  Lock writing() {
    return rows.readLock();
  }

  /** Returns the lock that nobody else holds while a delete takes its stamp. */
  Lock alone() {
    return rows.writeLock();
  }

  /**
   * Deletes cells. Samples that are written meanwhile have later cell times than those that the
   * edits delete.
   *
   * @throws WriteFailedException if the store fails or rejects an edit
   */
  public void deleteCells(PlacedLayout layout, MutationBatch edits) {
    ensureApplied(
        layout, apply(layout, layout.layout().dataTable(), edits, dataset.earlier()), "delete");
  }

  /**
   * Deletes cells by which rows are found. Nobody may write meanwhile.
   *
   * @throws WriteFailedException if the store fails or rejects an edit
   */
  public void deleteIndexCells(PlacedLayout layout, int table, MutationBatch edits) {
    ensureApplied(layout, apply(layout, table, edits, dataset.earlier()), "delete");
  }

  /**
   * Rewrites rows while nobody writes.
   *
   * @param edits creates the edits of the layout's data table
   * @throws WriteFailedException if the store fails or rejects an edit
   */
  public void rewriteRows(PlacedLayout layout, Supplier<MutationBatch> edits) {
    rows.writeLock().lock();
    try {
      int table = layout.layout().dataTable();
      ensureApplied(layout, apply(layout, table, edits.get(), dataset.earlier()), "rewritten row");
    } finally {
      rows.writeLock().unlock();
    }
  }

  private static void ensureApplied(PlacedLayout layout, List<Rejected> rejected, String what) {
    if (!rejected.isEmpty()) {
      throw new WriteFailedException(
          "layout '%s': the store rejects a %s: %s"
              .formatted(layout.name(), what, rejected.getFirst().reason()),
          false);
    }
  }

  /**
   * Applies edits to a table of a layout.
   *
   * @return the rows that the store rejects
   * @throws WriteFailedException if the store fails
   */
  List<Rejected> apply(PlacedLayout layout, int table, MutationBatch batch, Durability durability) {
    return apply(layout, table, batch, durability, null);
  }

  /**
   * Applies edits whose cells expire.
   *
   * @param lifetime null for cells that do not expire
   * @return the rows that the store rejects
   * @throws WriteFailedException if the store fails
   */
  List<Rejected> apply(
      PlacedLayout layout,
      int table,
      MutationBatch batch,
      Durability durability,
      @Nullable Duration lifetime) {
    if (batch.isEmpty()) {
      return List.of();
    }
    TableWriter writer = tables.get(layout.slot()).get(table);
    int longest = writer.counters().count(batch);
    return writer.applier().apply(batch, longest, durability, lifetime);
  }

  /** Refuses the samples of a row that the store rejects. */
  static void refuse(PlacedLayout layout, Rejected row, RefusedSamples tally) {
    CellBatch cells = row.batch().cells();
    Refusal refusal = new Refusal("store.rejected", row.reason());
    RowSamples samples = new RowSamples();
    try {
      layout.layout().decode(cells, row.first(), row.end(), samples);
      GroupKey key = layout.run(layout.layout().identify(cells.row(row.first())));
      int count = samples.attributes().size();
      for (RowSamples.Vector vector : samples.vectors()) {
        count += vector.samples().size();
      }
      tally.refuse(count, key, null, null, refusal);
    } catch (DamagedCellException e) {
      throw new IllegalStateException(
          "layout '%s' cannot read the row %s that it wrote: %s"
              .formatted(layout.name(), cells.row(row.first()), e.getMessage()),
          e);
    }
  }
}

package dev.varve.engine.repair;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.catalog.SeriesNumbers.Metric;
import dev.varve.engine.home.SeriesTable;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.progress.RebuildProgress;
import dev.varve.engine.tables.Applier;
import dev.varve.engine.write.DatasetWriter;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.block.BlockHead;
import dev.varve.layout.block.BlockKey;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.util.BitSet;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Completes the catalog from the blocks and samples in memory of one period: the extents and fields
 * of series that it has, and series whose names are lost. The latter get a name, so that queries
 * find their samples and no new series gets their number.
 */
final class BlockCatalog {
  private static final int ROWS_BETWEEN_KEEPS = 10_000;

  private final OpenDataset dataset;
  private final BlockTiers tiers;
  private final SeriesNumbers numbers;
  private final CatalogFinds finds;
  private final BooleanSupplier stopped;
  private long rows;
  private long series;
  private long damaged;
  private long bytes;

  /**
   * @param stopped polled from time to time; true stops the search
   */
  BlockCatalog(
      OpenDataset dataset, DatasetWriter writer, BlockTiers tiers, BooleanSupplier stopped) {
    this.dataset = dataset;
    this.tiers = tiers;
    this.numbers = tiers.numbers();
    this.finds = new CatalogFinds(dataset, writer, BlockLayout.DOMAIN);
    this.stopped = stopped;
  }

  RebuildProgress progress() {
    return new RebuildProgress(rows, series, damaged, bytes);
  }

  /**
   * Reads everything.
   *
   * @return whether it reached the end
   * @throws StoreException if the store fails
   */
  boolean run() {
    // Samples that leave memory meanwhile are in blocks by then.
    readMemory();
    Table table = tiers.table();
    ReadPlan plan =
        ReadPlan.of(
            List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.latest(BlockLayout.HEADS)));
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          take(page, cell);
        }
        bytes = cursor.cost().bytesRead();
        if (stopped.getAsBoolean()) {
          return false;
        }
      }
    }
    series += finds.keep();
    return true;
  }

  private void readMemory() {
    BitSet inMemory = new BitSet();
    tiers.forEachInMemory(inMemory::set);
    SampleColumn column = new SampleColumn();
    try (BlockTiers.View view = tiers.view()) {
      inMemory.stream()
          .forEach(number -> {
            column.clear();
            view.read(number, TimeRange.ALL, column);
            for (int i = 0; i < column.size(); i++) {
              add(number, TimeRange.closed(column.time(i), column.time(i)));
            }
          });
    }
  }

  private void take(CellBatch page, int cell) {
    int row = page.rowOffset(cell);
    if (!BlockKey.isRow(page.bytes(), row, page.rowLength(cell))) {
      damaged++;
      return;
    }
    int number = BlockKey.series(page.bytes(), row);
    numbers.reserve(number, BlockKey.metric(page.bytes(), row));
    rows++;
    try {
      BlockHead head = BlockHead.read(page.bytes(), page.valueOffset(cell), page.valueLength(cell));
      add(number, TimeRange.closed(head.first(), head.last()));
    } catch (DamagedCellException e) {
      damaged++;
    }
    if (rows % ROWS_BETWEEN_KEEPS == 0) {
      series += finds.keep();
    }
  }

  private void add(int number, TimeRange times) {
    if (numbers.key(number) < 0) {
      name(number);
    }
    GroupKey key = dataset.index().key(numbers.key(number));
    finds.add(key, times);
    finds.addField(key, numbers.field(number));
  }

  /** Gives a series whose name is lost a new name, which contains its number. */
  private void name(int number) {
    int ofMetric = numbers.metric(number);
    Metric metric = numbers.metricOf(ofMetric);
    Metric known = metric == null ? new Metric(SeriesNumbers.LOST, Series.DEFAULT_FIELD) : metric;
    GroupKey key = GroupKey.of(known.name(), Tags.of(SeriesNumbers.LOST, String.valueOf(number)));
    SeriesIdentity identity = SeriesIdentity.of(key);
    long stamp = dataset.stamps(1);
    MutationBatch edits = new MutationBatch();
    SeriesTable.putKey(edits, identity, key, stamp);
    SeriesTable.putNumber(edits, identity, known.field(), number, ofMetric, stamp);
    Table home = dataset.home().series().table();
    Applier applier = new Applier(home, dataset.homeStore().capabilities(home.spec()).limits());
    if (!applier.apply(edits, edits.size(), Durability.SYNCED).isEmpty()) {
      throw new StoreException("the catalog rejects the name of series " + number);
    }
    int index = dataset.index().add(identity, key);
    numbers.load(index, known.name(), known.field(), number, ofMetric);
    series++;
  }
}

package dev.varve.engine.check;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.check.CheckFinding.Severity;
import dev.varve.engine.error.CorruptDataException;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.Period.Storage.Blocks;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.tables.Applier;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.Layout;
import dev.varve.layout.RowSamples;
import dev.varve.layout.RowShape;
import dev.varve.layout.block.BlockKey;
import dev.varve.layout.block.BlockLayout;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.TimeRange;
import dev.varve.store.Capabilities.RowOrder;
import dev.varve.store.CellBatch;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.SizeLimits;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads all tables of a dataset. Layouts must decode every cell, and the catalog must contain the
 * series of every row.
 */
public final class DatasetCheck {
  /** Maximum number of findings of a kind that are reported individually. */
  private static final int TOLD_MAX = 100;

  private static final int EXAMPLES = 3;

  private final OpenDataset dataset;
  private final CheckRun run;
  private final BitSet seen = new BitSet();

  /** The keys that the catalog lacked when their rows were read, by their texts. */
  private final Map<String, GroupKey> unlisted = new TreeMap<>();

  /** Numbers of series that have blocks but no key in the catalog. */
  private final BitSet unnamed = new BitSet();

  private final boolean removes;

  /** Number of damaged places that are left. */
  private long damaged;

  /** Whether the series of every row of samples was identified. */
  private boolean complete = true;

  /**
   * @param removes whether damaged blocks are removed; nobody else may use the dataset then
   */
  public DatasetCheck(OpenDataset dataset, CheckRun run, boolean removes) {
    this.dataset = dataset;
    this.run = run;
    this.removes = removes;
  }

  /** Returns whether the catalog lacks the series of any row. */
  public boolean catalogLacks() {
    return !unlisted.isEmpty() || !unnamed.isEmpty();
  }

  /** Returns whether there is damage in place that cannot be read. */
  public boolean leavesDamage() {
    return damaged > 0;
  }

  /** Reads all tables. */
  public void run() {
    for (Table table : dataset.home().tables()) {
      run.doing("dataset %s, table %s".formatted(dataset.name(), table.spec().name()));
      new TableScan(table, run, this::damaged).run((page, from, to) -> {});
    }
    for (Period period : dataset.periods().all()) {
      for (PlacedLayout placed : period.layouts()) {
        for (int table = 0; table < placed.layout().tables().size(); table++) {
          check(placed, table);
        }
      }
      if (period.storage() instanceof Blocks(BlockTiers blocks)) {
        check(blocks);
      }
    }
    compareCatalog();
    if (damaged > TOLD_MAX) {
      tell(
          Severity.DAMAGE,
          "%,d places are damaged, of which the first %d are listed".formatted(damaged, TOLD_MAX));
    }
  }

  private void check(BlockTiers blocks) {
    Table table = blocks.table();
    run.doing("dataset %s, table %s".formatted(dataset.name(), table.spec().name()));
    BlockFindings findings = new BlockFindings(table);
    BlockRows rows = new BlockRows(table, dataset.resolution(), blocks.numbers(), findings);
    complete &= new TableScan(table, run, this::damaged).run(rows);
    rows.end();
    findings.remove();
    blocks.forEachInMemory(series -> findings.series(blocks.numbers().key(series), series));
  }

  /** Reports damaged blocks, and removes them if the check is to do so. */
  private final class BlockFindings implements BlockRows.Findings {
    private final Table table;
    private final MutationBatch edits = new MutationBatch();

    private BlockFindings(Table table) {
      this.table = table;
    }

    @Override
    public void series(int key, int series) {
      if (key >= 0) {
        seen.set(key);
      } else {
        unnamed.set(series);
      }
    }

    @Override
    public void damagedRow(String text) {
      DatasetCheck.this.damaged(text);
    }

    @Override
    public void damagedBlock(Bytes row, Bytes qualifier, TimeRange times, String text) {
      edits.deleteColumn(row, BlockLayout.HEADS, qualifier, TimeRange.ALL);
      edits.deleteColumn(row, BlockLayout.BODIES, qualifier, TimeRange.ALL);
      edits.deleteColumn(row, BlockLayout.TIMES, qualifier, TimeRange.ALL);
      SeriesTimes affected = new SeriesTimes(dataset.name(), dataset.index(), dataset.resolution());
      affected.add(BlockKey.series(row.toArray(), 0), times.from(), times.to() - 1);
      damaged(text, affected.listed(), affected.count());
    }

    private void damaged(String text, List<AffectedSeries> affected, long count) {
      if (removes || ++damaged <= TOLD_MAX) {
        run.found(
            new CheckFinding(
                Severity.DAMAGE,
                "dataset " + dataset.name(),
                removes ? text + "; it is removed" : text,
                affected,
                count));
      }
    }

    private void remove() {
      if (removes && !edits.isEmpty()) {
        SizeLimits limits = dataset.store().capabilities(table.spec()).limits();
        var rejected = new Applier(table, limits).apply(edits, edits.size(), Durability.SYNCED);
        if (!rejected.isEmpty()) {
          throw new StoreException(
              "table '%s': a damaged block cannot be removed: %s"
                  .formatted(table.spec().name(), rejected.getFirst().reason()));
        }
      }
    }
  }

  private void check(PlacedLayout placed, int number) {
    Table table = placed.table(number);
    String name = table.spec().name();
    boolean ofSamples = number == placed.layout().dataTable();
    run.doing("dataset %s, table %s".formatted(dataset.name(), name));
    if (dataset.store().capabilities(table.spec()).order() != RowOrder.TABLE) {
      complete &= !ofSamples;
      tell(
          Severity.NOTE,
          "table '%s' was not read: the %s store spreads its rows, which cannot be read as a whole"
              .formatted(name, dataset.store().kind()));
      return;
    }
    boolean whole =
        new TableScan(table, run, this::damaged)
            .run(ofSamples ? new SampleRows(placed, table) : describing(placed, number, table));
    complete &= whole || !ofSamples;
  }

  private TableScan.Rows describing(PlacedLayout placed, int number, Table table) {
    return (page, from, to) -> {
      for (int cell = from; cell < to; cell++) {
        try {
          placed.layout().describe(number, page.cell(cell));
        } catch (DamagedCellException e) {
          damaged(place(table, page, cell) + e.getMessage());
        }
      }
    };
  }

  private static String place(Table table, CellBatch page, int cell) {
    return "table '%s', row %s, family '%s', qualifier %s: "
        .formatted(
            table.spec().name(),
            page.row(cell),
            table.spec().families().get(page.family(cell)).name(),
            page.qualifier(cell));
  }

  private void damaged(String text) {
    damaged++;
    if (damaged <= TOLD_MAX) {
      tell(Severity.DAMAGE, text);
    }
  }

  private void tell(Severity severity, String text) {
    run.found(new CheckFinding(severity, "dataset " + dataset.name(), text));
  }

  /** Checks the rows of a data table. */
  private final class SampleRows implements TableScan.Rows {
    private final PlacedLayout placed;
    private final Layout layout;
    private final RowShape shape;
    private final Table table;
    private final KeyBytes signature = new KeyBytes();
    private final RowSamples samples = new RowSamples();
    private Bytes lastSignature = Bytes.EMPTY;
    private boolean known;

    private SampleRows(PlacedLayout placed, Table table) {
      this.placed = placed;
      this.layout = placed.layout();
      this.shape = layout.rows();
      this.table = table;
    }

    @Override
    public void take(CellBatch page, int from, int to) {
      try {
        identify(page, from);
      } catch (DamagedCellException | CorruptDataException e) {
        known = false;
        complete = false;
        damaged(
            "table '%s', row %s: %s"
                .formatted(table.spec().name(), page.row(from), e.getMessage()));
        return;
      }
      samples.clear();
      layout.decode(page, from, to, samples);
      for (RowSamples.Damage damage : samples.damages()) {
        damaged(place(table, page, damage.cell()) + damage.reason());
      }
    }

    /**
     * Looks up the series of a row in the catalog, once for consecutive rows of the same series.
     */
    private void identify(CellBatch page, int cell) {
      signature.clear();
      byte[] bytes = page.bytes();
      int at = page.rowOffset(cell);
      int end = at + page.rowLength(cell);
      shape.decode(bytes, at, end, new KeyOutput());
      shape.signature(bytes, at, end, signature);
      if (known && lastSignature.contentEquals(signature.array(), 0, signature.length())) {
        return;
      }
      GroupKey key = placed.run(layout.identify(page.row(cell)));
      lastSignature = signature.toBytes();
      known = true;
      int number = dataset.index().find(SeriesIdentity.of(key));
      if (number >= 0) {
        seen.set(number);
      } else if (unlisted.size() < TOLD_MAX) {
        unlisted.put(key.toString(), key);
      }
    }
  }

  private void compareCatalog() {
    // A concurrent write may add a row shortly before the catalog lists its series.
    unlisted.values().removeIf(key -> dataset.index().find(SeriesIdentity.of(key)) >= 0);
    if (!unlisted.isEmpty()) {
      tell(
          Severity.DAMAGE,
          "the catalog lacks %s%d series that have rows, such as %s: no query finds their samples; 'varve check --repair' has the catalog rebuilt"
              .formatted(
                  unlisted.size() == TOLD_MAX ? "at least " : "",
                  unlisted.size(),
                  examples(List.copyOf(unlisted.keySet()))));
    }
    if (!unnamed.isEmpty()) {
      tell(
          Severity.DAMAGE,
          "the catalog has lost the names of %,d series that have samples in blocks, such as number %d: no query finds them; 'varve check --repair' keeps the samples under the label '%s'"
              .formatted(unnamed.cardinality(), unnamed.nextSetBit(0), SeriesNumbers.LOST));
    }
    if (!complete || dataset.config().attached() != null) {
      return;
    }
    List<String> without = new ArrayList<>();
    int end = dataset.index().end();
    int count = dataset.index().size() - seen.cardinality();
    for (int number = seen.nextClearBit(0);
        number < end && without.size() < EXAMPLES;
        number = seen.nextClearBit(number + 1)) {
      if (dataset.index().has(number)) {
        without.add(dataset.index().key(number).toString());
      }
    }
    if (count > 0) {
      tell(
          Severity.NOTE,
          "the catalog lists %,d series without rows, such as %s: their samples were deleted, never arrived, or came while the check ran"
              .formatted(count, examples(without)));
    }
  }

  private static String examples(List<String> all) {
    return String.join(", ", all.subList(0, Math.min(EXAMPLES, all.size())));
  }
}

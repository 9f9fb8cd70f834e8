package dev.varve.layout.contract;

import dev.varve.layout.Binding;
import dev.varve.layout.CellSink;
import dev.varve.layout.Layout;
import dev.varve.layout.ReadScope;
import dev.varve.layout.Refusal;
import dev.varve.layout.Step;
import dev.varve.layout.StepRunner;
import dev.varve.layout.plan.Census;
import dev.varve.layout.plan.Plan;
import dev.varve.layout.plan.PlanRequest;
import dev.varve.layout.plan.Planner;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.store.Capabilities.RowOrder;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** The tables of a layout, written and read as by an engine, one operation at a time. */
public final class LayoutTables implements AutoCloseable {
  private final Layout layout;
  private final TableSource source;
  private final List<Table> tables = new ArrayList<>();

  /** The rows written, by table. */
  private final List<Set<Bytes>> rows = new ArrayList<>();

  private final StepRunner steps;
  private long stamp = 1_790_000_000_000_000L;

  /** A refused value and its position. */
  public record Refused(int column, int sample, Refusal refusal) {}

  public LayoutTables(Layout layout, TableSource source) {
    this.layout = layout;
    this.source = source;
    for (TableSpec spec : layout.tables()) {
      tables.add(source.open(spec));
      rows.add(new TreeSet<>());
    }
    this.steps = new StepRunner(tables, () -> ++stamp);
    put(run(layout.opening()));
  }

  public <T> T run(Step<T> step) {
    return steps.run(step);
  }

  /** Binds a key and creates what it needs. */
  public Binding bind(GroupKey key) {
    return run(layout.bind(key, true)).orElseThrow();
  }

  /** Binds a key if nothing has to be created for it. */
  public Optional<Binding> find(GroupKey key) {
    return run(layout.bind(key, false));
  }

  /** Writes a group with stamps one microsecond apart and returns what was refused. */
  public List<Refused> write(SampleGroup group) {
    Encoded encoded = encode(group);
    apply(encoded.index());
    apply(encoded.data());
    return encoded.refused();
  }

  /** Writes an attribute. */
  public void write(Attribute attribute) {
    Encoded encoded = encode(attribute);
    apply(encoded.index());
    apply(encoded.data());
  }

  /** Writes given cells. */
  public void put(List<Step.TableCell> cells) {
    for (Step.TableCell cell : cells) {
      MutationBatch batch = new MutationBatch();
      Cell put = cell.cell();
      batch.put(put.row(), put.family(), put.qualifier(), put.time(), put.value());
      apply(cell.table(), batch);
    }
  }

  /** Encodes a group without writing it. */
  public Encoded encode(SampleGroup group) {
    Encoded encoded = encode(group, stamp);
    stamp += 1_000_000;
    return encoded;
  }

  /** Encodes a group with a given first stamp, without writing it. */
  public Encoded encode(SampleGroup group, long firstStamp) {
    Binding binding = bind(group.key());
    Sink sink = new Sink();
    layout.encode(binding, group, firstStamp, sink);
    return sink.encoded();
  }

  /** Encodes an attribute without writing it. */
  public Encoded encode(Attribute attribute) {
    Binding binding = bind(attribute.key());
    Sink sink = new Sink();
    layout.encode(binding, attribute, stamp, sink);
    stamp += 1_000_000;
    return sink.encoded();
  }

  public Plan plan(PlanRequest request) {
    return run(Planner.plan(layout, request));
  }

  /** Plans and reads. */
  public PlanReader.Found read(PlanRequest request) {
    return new PlanReader(layout, tables).read(request, plan(request));
  }

  /** Returns the order in which the store keeps rows. */
  public RowOrder order() {
    return source.capabilities(layout.tables().get(layout.dataTable())).order();
  }

  /** Returns a request for all samples of the bindings in a scope. */
  public PlanRequest request(List<? extends Binding> bindings, ReadScope scope) {
    return new PlanRequest(bindings, scope, Census.UNKNOWN, 0, false, order(), false);
  }

  /** Returns all cells of the rows written to a table. */
  public List<Cell> cells(int table) {
    List<FamilySelect> families =
        IntStream.range(0, layout.tables().get(table).families().size())
            .mapToObj(FamilySelect::all)
            .toList();
    List<Cell> cells = new ArrayList<>();
    if (rows.get(table).isEmpty()) {
      return cells;
    }
    List<Slice> slices = rows.get(table).stream().map(row -> slice(table, row)).toList();
    try (CellCursor cursor = tables.get(table).read(ReadPlan.of(slices, families), null)) {
      CellBatch page = new CellBatch();
      while (cursor.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          cells.add(page.cell(i));
        }
      }
    }
    return cells;
  }

  private Slice slice(int table, Bytes row) {
    byte[] bytes = row.toArray();
    Partitioning partitioning = layout.tables().get(table).partitioning();
    return Slice.row(row.slice(0, partitioning.prefixLength(bytes, 0, bytes.length)), row);
  }

  @Override
  public void close() {
    source.close();
  }

  private void apply(List<MutationBatch> batches) {
    for (int table = 0; table < batches.size(); table++) {
      apply(table, batches.get(table));
    }
  }

  private void apply(int table, MutationBatch batch) {
    for (int edit = 0; edit < batch.size(); edit++) {
      rows.get(table).add(batch.cells().row(edit));
    }
    for (RowOutcome outcome : tables.get(table).apply(batch, Durability.SYNCED)) {
      if (!outcome.applied()) {
        throw new AssertionError("not written: " + outcome.reason());
      }
    }
  }

  /**
   * The output of a layout's encoding.
   *
   * @param index edits of index tables, by table
   * @param data edits of data tables, by table
   */
  public record Encoded(
      List<MutationBatch> index, List<MutationBatch> data, List<Refused> refused) {
    /** Returns the cells for a table, those of the index first. */
    public List<Cell> cells(int table) {
      List<Cell> cells = new ArrayList<>();
      for (MutationBatch batch : List.of(index.get(table), data.get(table))) {
        for (int i = 0; i < batch.size(); i++) {
          cells.add(batch.cells().cell(i));
        }
      }
      return cells;
    }
  }

  private final class Sink implements CellSink {
    private final List<MutationBatch> data = batches();
    private final List<MutationBatch> index = batches();
    private final List<Refused> refused = new ArrayList<>();

    private List<MutationBatch> batches() {
      return layout.tables().stream().map(table -> new MutationBatch()).toList();
    }

    private Encoded encoded() {
      return new Encoded(index, data, refused);
    }

    @Override
    public MutationBatch data(int table) {
      return data.get(table);
    }

    @Override
    public MutationBatch index(int table) {
      return index.get(table);
    }

    @Override
    public void refuse(int column, int sample, Refusal refusal) {
      refused.add(new Refused(column, sample, refusal));
    }
  }
}

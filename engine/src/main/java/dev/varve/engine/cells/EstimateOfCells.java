package dev.varve.engine.cells;

import dev.varve.engine.cells.EstimateWorkload.Asked;
import dev.varve.engine.cells.LayoutEstimate.Amount;
import dev.varve.engine.cells.LayoutEstimate.Read;
import dev.varve.layout.Binding;
import dev.varve.layout.CellSink;
import dev.varve.layout.Layout;
import dev.varve.layout.ReadScope;
import dev.varve.layout.Refusal;
import dev.varve.layout.plan.Census;
import dev.varve.layout.plan.Plan;
import dev.varve.layout.plan.PlanRefusedException;
import dev.varve.layout.plan.PlanRequest;
import dev.varve.layout.plan.Planner;
import dev.varve.model.Batch;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.store.Capabilities.RowOrder;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadCost;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Counts the rows, cells and bytes of a workload in a layout of cells. */
final class EstimateOfCells {
  /** A cell time, which every store keeps with each cell. */
  static final int TIME_BYTES = 8;

  private final Layout layout;
  private final EstimateWorkload work;
  private final ScratchTables tables;

  private EstimateOfCells(EstimateWorkload work, ScratchTables tables) {
    this.layout = tables.layout();
    this.work = work;
    this.tables = tables;
  }

  static LayoutEstimate of(Layout layout, EstimateWorkload work) {
    try (ScratchTables tables = new ScratchTables(layout)) {
      tables.open();
      Batch samples = work.samples();
      List<String> refused = new ArrayList<>();
      try (CellsOfPoints points = new CellsOfPoints(tables, kept(refused))) {
        points.write(samples);
      }
      return refused.isEmpty()
          ? new EstimateOfCells(work, tables).counted(samples.sampleCount())
          : LayoutEstimate.refused(layout.identity().name(), work, refused);
    }
  }

  /** Returns a consumer that keeps the first {@link LayoutEstimate#REASONS_MAX} reasons. */
  private static Consumer<String> kept(List<String> reasons) {
    return reason -> {
      if (reasons.size() < LayoutEstimate.REASONS_MAX) {
        reasons.add(reason);
      }
    };
  }

  private LayoutEstimate counted(int samples) {
    Amount data = Amount.NOTHING;
    Amount index = Amount.NOTHING;
    for (int table = 0; table < layout.tables().size(); table++) {
      if (table == layout.dataTable()) {
        data = plus(data, amount(table));
      } else {
        index = plus(index, amount(table));
      }
    }
    List<Read> reads = work.queries().stream().map(this::read).toList();
    return new LayoutEstimate(
        layout.identity().name(),
        work.keys().size(),
        samples,
        data,
        index,
        rowsOfWrite(),
        reads,
        List.of());
  }

  private static Amount plus(Amount one, Amount other) {
    return new Amount(
        one.rows() + other.rows(), one.cells() + other.cells(), one.bytes() + other.bytes());
  }

  private Amount amount(int table) {
    long[] familyBytes =
        layout.tables().get(table).families().stream()
            .mapToLong(family -> family.name().getBytes(StandardCharsets.UTF_8).length)
            .toArray();
    long[] found = new long[3];
    tables.forEachRow(
        table,
        row -> {
          found[0]++;
          found[1] += row.size();
          for (int i = 0; i < row.size(); i++) {
            found[2] += bytes(row, i) + familyBytes[row.family(i)];
          }
        });
    return new Amount(found[0], found[1], found[2]);
  }

  private static long bytes(CellBatch row, int i) {
    return (long) row.rowLength(i) + row.qualifierLength(i) + TIME_BYTES + row.valueLength(i);
  }

  private List<Binding> bindings(int count) {
    return work.keys().subList(0, count).stream()
        .map(key ->
            tables
                .run(layout.bind(key, false))
                .orElseThrow(() -> new IllegalStateException("layout lost " + key)))
        .toList();
  }

  /** Returns how many rows the next sample of every series touches. */
  private long rowsOfWrite() {
    Rows rows = new Rows();
    List<Binding> bindings = bindings(work.keys().size());
    List<SampleGroup> groups = work.next().groups();
    for (int i = 0; i < groups.size(); i++) {
      layout.encode(bindings.get(i), groups.get(i), tables.stamps(1), rows);
    }
    return rows.count();
  }

  private Read read(Asked query) {
    List<Binding> bindings = bindings(query.series());
    long wanted = query.series() * work.samplesWithin(query.times());
    PlanRequest request =
        PlanRequest.of(bindings, ReadScope.of(query.times())).with(RowOrder.TABLE).with(census());
    Plan plan;
    try {
      plan = tables.run(Planner.plan(layout, request));
    } catch (PlanRefusedException e) {
      return new Read(query.what(), wanted, 0, 0, Amount.NOTHING, String.valueOf(e.getMessage()));
    }
    ReadCost cost = ReadCost.NOTHING;
    for (Plan.StrandGroup group : plan.groups()) {
      for (Plan.Strand strand : group.strands()) {
        cost = cost.plus(tables.cost(strand.table(), strand.read()));
      }
    }
    return new Read(
        query.what(),
        wanted,
        plan.estimate().slices(),
        plan.estimate().partitions(),
        new Amount(cost.rows(), cost.cellsRead(), cost.bytesRead()),
        null);
  }

  /** The planner asks for nothing but equal tags; any other filter might match. */
  private static boolean matches(TagFilter filter, GroupKey key) {
    return !(filter instanceof TagFilter.Equal(String name, String value))
        || value.equals(key.tags().get(name));
  }

  /**
   * Returns the counts that the planner would get from the catalog of a dataset with just these
   * series.
   */
  private Census census() {
    return new Census() {
      @Override
      public OptionalLong series(
          String metric, List<TagFilter> filters, @Nullable TimeRange times) {
        return OptionalLong.of(
            work.keys().stream()
                .filter(key -> filters.stream().allMatch(filter -> matches(filter, key)))
                .count());
      }

      @Override
      public OptionalLong cells(Binding binding, TimeRange times) {
        return OptionalLong.of(work.samplesWithin(times));
      }

      @Override
      public OptionalLong buckets(Binding binding, TimeRange times) {
        return OptionalLong.empty();
      }

      @Override
      public Optional<TimeRange> times() {
        return Optional.of(work.day());
      }
    };
  }

  /** Counts rows instead of writing them. */
  private final class Rows implements CellSink {
    private final List<MutationBatch> batches = new ArrayList<>();

    private Rows() {
      layout.tables().forEach(table -> batches.add(new MutationBatch()));
    }

    @Override
    public MutationBatch data(int table) {
      return batches.get(table);
    }

    /** The rows of an index are written with the first sample of a series, not with the next. */
    @Override
    public MutationBatch index(int table) {
      return new MutationBatch();
    }

    @Override
    public void refuse(int column, int sample, Refusal refusal) {
      throw new IllegalStateException("%s after a day".formatted(refusal.message()));
    }

    private long count() {
      long rows = 0;
      for (MutationBatch batch : batches) {
        for (int i = 0; i < batch.size(); i = batch.mutationEnd(i)) {
          rows++;
        }
      }
      return rows;
    }
  }
}

package dev.varve.layout.sketch;

import dev.varve.layout.Binding;
import dev.varve.layout.CellSink;
import dev.varve.layout.Refusal;
import dev.varve.layout.Steps;
import dev.varve.layout.contract.PlanReader;
import dev.varve.layout.plan.Plan;
import dev.varve.layout.plan.PlanRequest;
import dev.varve.layout.plan.Planner;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.memory.MemoryStore;
import java.util.List;

/** A sketched layout with its table in memory. */
final class SketchTable implements AutoCloseable {
  private final MemoryStore store = new MemoryStore();
  private final SketchLayout layout;
  private final Table table;
  private final Steps steps;
  private long stamp = 1;

  SketchTable(SketchLayout layout) {
    this.layout = layout;
    this.table = store.open(layout.tables().getFirst(), Store.OpenMode.CREATE_IF_ABSENT);
    this.steps = new Steps(List.of(table), () -> ++stamp);
  }

  Binding bind(GroupKey key) {
    return steps.run(layout.bind(key, true)).orElseThrow();
  }

  void write(SampleGroup group) {
    MutationBatch data = new MutationBatch();
    layout.encode(
        bind(group.key()),
        group,
        stamp,
        new CellSink() {
          @Override
          public MutationBatch data(int table) {
            return data;
          }

          @Override
          public MutationBatch index(int table) {
            throw new AssertionError("a sketch has no index");
          }

          @Override
          public void refuse(int column, int sample, Refusal refusal) {
            throw new AssertionError(refusal.message());
          }
        });
    stamp += group.size();
    if (!table.apply(data, Durability.SYNCED).isEmpty()) {
      throw new AssertionError("not all was applied");
    }
  }

  Plan plan(PlanRequest request) {
    return steps.run(Planner.plan(layout, request));
  }

  PlanReader.Found read(PlanRequest request) {
    return new PlanReader(layout, List.of(table), steps).read(request, plan(request));
  }

  @Override
  public void close() {
    store.close();
  }
}

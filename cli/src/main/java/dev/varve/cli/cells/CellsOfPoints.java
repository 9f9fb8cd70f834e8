package dev.varve.cli.cells;

import dev.varve.layout.Binding;
import dev.varve.layout.CellSink;
import dev.varve.layout.Layout;
import dev.varve.layout.Refusal;
import dev.varve.layout.RefusedException;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.store.MutationBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Points to cells: what the tables of a layout hold once the points are written. */
final class CellsOfPoints {
  private final ScratchTables tables;
  private final Consumer<String> complaints;

  /**
   * Prepares to encode.
   *
   * @param complaints takes a line for each refused point
   */
  CellsOfPoints(ScratchTables tables, Consumer<String> complaints) {
    this.tables = tables;
    this.complaints = complaints;
  }

  void write(Batch batch) {
    for (SampleGroup group : batch.groups()) {
      encode(
          group.key(),
          sink ->
              tables.layout().encode(bound(group.key()), group, tables.stamps(group.size()), sink),
          group);
    }
    for (Attribute attribute : batch.attributes()) {
      encode(
          attribute.key(),
          sink -> tables.layout().encode(bound(attribute.key()), attribute, tables.stamps(1), sink),
          null);
    }
  }

  private Binding bound(GroupKey key) {
    return tables
        .run(tables.layout().bind(key, true))
        .orElseThrow(() -> new IllegalStateException("layout did not create " + key));
  }

  private void encode(
      GroupKey key, Consumer<Sink> encoder, @org.jspecify.annotations.Nullable SampleGroup group) {
    Sink sink = new Sink(tables.layout(), key, group);
    try {
      encoder.accept(sink);
    } catch (RefusedException e) {
      complaints.accept(key + ": " + e.refusal().rule() + ": " + e.refusal().message());
      return;
    }
    sink.apply();
  }

  private final class Sink implements CellSink {
    private final GroupKey key;
    private final @org.jspecify.annotations.Nullable SampleGroup group;
    private final List<MutationBatch> batches = new ArrayList<>();

    private Sink(
        Layout layout, GroupKey key, @org.jspecify.annotations.Nullable SampleGroup group) {
      this.key = key;
      this.group = group;
      layout.tables().forEach(table -> batches.add(new MutationBatch()));
    }

    @Override
    public MutationBatch data(int table) {
      return batches.get(table);
    }

    @Override
    public MutationBatch index(int table) {
      return batches.get(table);
    }

    @Override
    public void refuse(int column, int sample, Refusal refusal) {
      String time = group == null ? "" : " at " + group.times()[sample];
      complaints.accept(key + time + ": " + refusal.rule() + ": " + refusal.message());
    }

    private void apply() {
      for (int table = 0; table < batches.size(); table++) {
        String reason = tables.apply(table, batches.get(table));
        if (reason != null) {
          complaints.accept(key + ": " + reason);
        }
      }
    }
  }
}

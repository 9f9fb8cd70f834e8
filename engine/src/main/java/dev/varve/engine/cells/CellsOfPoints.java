package dev.varve.engine.cells;

import dev.varve.layout.Binding;
import dev.varve.layout.CellSink;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Layout;
import dev.varve.layout.Refusal;
import dev.varve.layout.RefusedException;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.store.MutationBatch;
import dev.varve.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Encodes points: computes the cells that the tables of a layout hold after the points are written.
 * For one thread.
 */
public final class CellsOfPoints implements AutoCloseable {
  private final ScratchTables tables;

  /** Tables for keys whose samples may all be refused, so that such keys claim no UIDs. */
  private final ScratchTables aside;

  private final Consumer<String> complaints;

  /**
   * Creates an encoder.
   *
   * @param complaints receives a line for each refused point
   */
  public CellsOfPoints(ScratchTables tables, Consumer<String> complaints) {
    this.tables = tables;
    this.aside = new ScratchTables(tables.layout());
    this.complaints = complaints;
  }

  /** Writes points into the tables. */
  public void write(Batch batch) {
    for (SampleGroup group : batch.groups()) {
      ScratchTables names = claims(group) ? tables : aside;
      encode(
          group.key(),
          sink ->
              tables
                  .layout()
                  .encode(bound(names, group.key()), group, tables.stamps(group.size()), sink),
          group);
    }
    for (Attribute attribute : batch.attributes()) {
      encode(
          attribute.key(),
          sink ->
              tables
                  .layout()
                  .encode(bound(tables, attribute.key()), attribute, tables.stamps(1), sink),
          null);
    }
  }

  /** Returns whether any sample of the key is accepted, so that the key may be bound for good. */
  private boolean claims(SampleGroup group) {
    Layout layout = tables.layout();
    if (layout.needs().isEmpty()) {
      return true;
    }
    Trial trial = new Trial(layout);
    try {
      layout.encode(bound(aside, group.key()), group, 1, trial);
    } catch (RefusedException e) {
      // It will be refused and reported again.
      return true;
    }
    return trial.wrote();
  }

  private static Binding bound(ScratchTables names, GroupKey key) {
    Layout layout = names.layout();
    return names
        .run(layout.bind(key, true))
        .orElseThrow(() -> new IllegalStateException("layout did not create " + key));
  }

  private void encode(GroupKey key, Consumer<Sink> encoder, @Nullable SampleGroup group) {
    Sink sink = new Sink(tables.layout(), key, group);
    try {
      encoder.accept(sink);
    } catch (RefusedException e) {
      complaints.accept(key + ": " + e.refusal().rule() + ": " + e.refusal().message());
      return;
    } catch (DamagedCellException e) {
      complaints.accept(key + ": a cell that exists already is damaged: " + e.getMessage());
      return;
    } catch (StoreException e) {
      complaints.accept(key + ": " + e.getMessage());
      return;
    }
    sink.apply();
  }

  @Override
  public void close() {
    aside.close();
  }

  /** Notes whether anything is written. */
  private static final class Trial implements CellSink {
    private final List<MutationBatch> batches;

    private Trial(Layout layout) {
      this.batches = layout.tables().stream().map(table -> new MutationBatch()).toList();
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
      // Reported when it is encoded for good.
    }

    private boolean wrote() {
      return batches.stream().anyMatch(batch -> !batch.isEmpty());
    }
  }

  private final class Sink implements CellSink {
    private final GroupKey key;
    private final @Nullable SampleGroup group;
    private final List<MutationBatch> batches = new ArrayList<>();

    private Sink(Layout layout, GroupKey key, @Nullable SampleGroup group) {
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

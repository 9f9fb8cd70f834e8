package dev.varve.layout.heroic;

import dev.varve.layout.Binding;
import dev.varve.layout.CellSink;
import dev.varve.layout.Refusal;
import dev.varve.layout.Step;
import dev.varve.model.Attribute;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.store.Cell;
import dev.varve.store.MutationBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Collects the cells that the layout encodes. */
final class HeroicCells implements CellSink {
  private final HeroicLayout layout;
  private final MutationBatch data = new MutationBatch();
  private final List<String> refusals = new ArrayList<>();

  HeroicCells(HeroicLayout layout) {
    this.layout = layout;
  }

  HeroicCells add(SampleGroup group, long firstStamp) {
    layout.encode(bind(group.key()), group, firstStamp, this);
    return this;
  }

  HeroicCells add(Attribute attribute, long stamp) {
    layout.encode(bind(attribute.key()), attribute, stamp, this);
    return this;
  }

  Binding bind(GroupKey key) {
    if (layout.bind(key, true) instanceof Step.Done<Optional<Binding>>(Optional<Binding> bound)) {
      return bound.orElseThrow();
    }
    throw new AssertionError("Heroic looks nothing up");
  }

  List<Cell> all() {
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < data.size(); i++) {
      cells.add(data.cells().cell(i));
    }
    return cells;
  }

  Cell only() {
    if (data.size() != 1) {
      throw new AssertionError(data.size() + " cells");
    }
    return data.cells().cell(0);
  }

  /** Returns the rule and position of each refusal. */
  List<String> refusals() {
    return refusals;
  }

  @Override
  public MutationBatch data(int table) {
    return data;
  }

  @Override
  public MutationBatch index(int table) {
    throw new AssertionError("Heroic has no index");
  }

  @Override
  public void refuse(int column, int sample, Refusal refusal) {
    refusals.add(refusal.rule() + " " + column + "/" + sample);
  }
}

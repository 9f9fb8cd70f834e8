package dev.varve.layout.declared;

import dev.varve.layout.Binding;
import dev.varve.layout.CellSink;
import dev.varve.layout.Layout;
import dev.varve.layout.Refusal;
import dev.varve.layout.RowSamples;
import dev.varve.layout.Step;
import dev.varve.model.Attribute;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The cells that a layout makes of what it is given, and what they decode to. */
final class Cells implements CellSink {
  private static final Comparator<Cell> STORE_ORDER =
      Comparator.comparing(Cell::row)
          .thenComparingInt(Cell::family)
          .thenComparing(Cell::qualifier)
          .thenComparing(Comparator.comparingLong(Cell::time).reversed());

  private final Layout layout;
  private final MutationBatch data = new MutationBatch();
  final List<Refusal> refusals = new ArrayList<>();

  Cells(Layout layout) {
    this.layout = layout;
  }

  @Override
  public MutationBatch data(int table) {
    return data;
  }

  @Override
  public MutationBatch index(int table) {
    throw new AssertionError("declared layouts have no index");
  }

  @Override
  public void refuse(int column, int sample, Refusal refusal) {
    refusals.add(refusal);
  }

  Cells add(SampleGroup group, long firstStamp) {
    layout.encode(bind(group.key()), group, firstStamp, this);
    return this;
  }

  Cells add(Attribute attribute, long stamp) {
    layout.encode(bind(attribute.key()), attribute, stamp, this);
    return this;
  }

  private Binding bind(GroupKey key) {
    return ((Step.Done<Optional<Binding>>) layout.bind(key, true)).value().orElseThrow();
  }

  MutationBatch batch() {
    return data;
  }

  /** The cells as a store would give them: sorted, of equal coordinates the last. */
  List<Cell> stored() {
    Map<Cell, Cell> cells = new TreeMap<>(STORE_ORDER);
    for (int i = 0; i < data.size(); i++) {
      Cell cell = data.cells().cell(i);
      cells.remove(cell);
      cells.put(cell, cell);
    }
    return List.copyOf(cells.values());
  }

  /** Decodes row by row, handing out each row's key and samples. */
  static void decode(Layout layout, List<Cell> cells, RowConsumer consumer) {
    CellBatch batch = new CellBatch();
    cells.forEach(batch::add);
    RowSamples samples = new RowSamples();
    int from = 0;
    while (from < batch.size()) {
      int to = from + 1;
      while (to < batch.size() && batch.sameRow(from, to)) {
        to++;
      }
      samples.clear();
      layout.decode(batch, from, to, samples);
      GroupKey key = ((Step.Done<GroupKey>) layout.identify(batch.row(from))).value();
      consumer.accept(key, samples);
      from = to;
    }
  }

  interface RowConsumer {
    void accept(GroupKey key, RowSamples samples);
  }

  static List<String> damages(Layout layout, Cell... cells) {
    CellBatch batch = new CellBatch();
    for (Cell cell : cells) {
      batch.add(cell);
    }
    RowSamples samples = new RowSamples();
    layout.decode(batch, 0, batch.size(), samples);
    List<String> reasons = new ArrayList<>();
    Consumer<RowSamples.Damage> note = damage -> reasons.add(damage.reason());
    samples.damages().forEach(note);
    return reasons;
  }
}

package dev.varve.engine.write;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.blocks.ColumnBatch;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.tables.Applier;
import dev.varve.model.Column;
import dev.varve.model.Kind;
import dev.varve.model.SampleGroup;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;

/** Writes samples of periods that are stored in blocks. Safe for use by several threads. */
final class BlockDestination implements Destination {
  private final OpenDataset dataset;
  private final Applier home;
  private final Lock writing;

  /**
   * @param home writes the home's table of series
   * @param writing held while series are looked up and samples become visible
   */
  BlockDestination(OpenDataset dataset, Applier home, Lock writing) {
    this.dataset = dataset;
    this.home = home;
    this.writing = writing;
  }

  @Override
  public Outcome write(GatheredBatch batch) {
    if (batch.isEmpty()) {
      return Outcome.WRITTEN;
    }
    writing.lock();
    try {
      return writeAll(batch.parts());
    } finally {
      writing.unlock();
    }
  }

  private Outcome writeAll(List<Part> parts) {
    SeriesNotes notes = new SeriesNotes(dataset);
    long stamp = dataset.stamps(1);
    Map<BlockTiers, ColumnBatch> batches = new LinkedHashMap<>(1);
    for (Part part : parts) {
      notes.add(part, stamp);
      BlockTiers tiers = part.period().tiers();
      add(part, notes, stamp, batches.computeIfAbsent(tiers, one -> new ColumnBatch()));
    }
    if (!notes.apply(home)) {
      return Outcome.KEY_REJECTED;
    }
    batches.forEach(BlockTiers::write);
    return Outcome.WRITTEN;
  }

  private static void add(Part part, SeriesNotes notes, long stamp, ColumnBatch into) {
    List<Column> columns = part.group().columns();
    for (int c = 0; c < columns.size(); c++) {
      Column column = columns.get(c);
      if (isFirstOfField(columns, c)) {
        int number = notes.number(part.series(), column.field(), stamp);
        if (isLastOfField(columns, c)) {
          into.begin(number, column.kind());
          for (int slot = 0; slot < part.group().size(); slot++) {
            add(part.group(), column, slot, into);
          }
        } else {
          addKinds(part.group(), column.field(), number, into);
        }
      }
    }
  }

  private static boolean isFirstOfField(List<Column> columns, int index) {
    return columns.subList(0, index).stream()
        .noneMatch(column -> column.field().equals(columns.get(index).field()));
  }

  private static boolean isLastOfField(List<Column> columns, int index) {
    return columns.subList(index + 1, columns.size()).stream()
        .noneMatch(column -> column.field().equals(columns.get(index).field()));
  }

  /** Adds a field with samples of several kinds, slot by slot, the order of acceptance. */
  private static void addKinds(SampleGroup group, String field, int number, ColumnBatch into) {
    Column[] ofField =
        group.columns().stream()
            .filter(column -> column.field().equals(field))
            .toArray(Column[]::new);
    // Of two values in one slot the last of this order counts, as in every layout.
    Arrays.sort(ofField, (a, b) -> Integer.compare(rank(a.kind()), rank(b.kind())));
    for (int slot = 0; slot < group.size(); slot++) {
      for (Column column : ofField) {
        if (column.has(slot)) {
          into.begin(number, column.kind());
          add(group, column, slot, into);
        }
      }
    }
  }

  private static int rank(Kind kind) {
    return switch (kind) {
      case STRING -> 0;
      case INT64 -> 1;
      case DOUBLE -> 2;
    };
  }

  private static void add(SampleGroup group, Column column, int slot, ColumnBatch into) {
    if (!column.has(slot)) {
      return;
    }
    long time = group.times()[slot];
    switch (column) {
      case Column.Longs longs -> into.add(time, longs.values()[slot]);
      case Column.Doubles doubles ->
          into.add(time, Double.doubleToRawLongBits(doubles.values()[slot]));
      case Column.Texts texts ->
          into.add(time, Arrays.copyOfRange(texts.bytes(), texts.start(slot), texts.end(slot)));
    }
  }
}

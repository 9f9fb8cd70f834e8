package dev.varve.engine.delete;

import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.pending.DeleteFilter;
import dev.varve.engine.pending.HiddenSamples;
import dev.varve.engine.pending.RemovalTally;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.request.ReadGuard;
import dev.varve.layout.Binding;
import dev.varve.layout.CellSink;
import dev.varve.layout.Layout;
import dev.varve.layout.Refusal;
import dev.varve.layout.RowSamples;
import dev.varve.layout.RowSamples.Vector;
import dev.varve.model.Bytes;
import dev.varve.model.Column;
import dev.varve.model.SampleGroup;
import dev.varve.model.Samples;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Makes the edits that take deleted samples out of cells that also have others. Used by one thread
 * at a time, while nobody writes.
 *
 * <p>The remaining samples are encoded again with the stamps that they had, so that they neither
 * hide later samples nor escape an earlier delete. Deleting and putting are one mutation of the
 * row: a crash loses nothing.
 */
final class RowRewrite {
  private final OpenDataset dataset;
  private final PlacedLayout placed;
  private final Layout layout;
  private final RemovalTally tally;
  private final RowSamples decoded = new RowSamples();
  private final MutationBatch edits = new MutationBatch();
  private final MutationBatch puts = new MutationBatch();

  /** The time of the newest cell of each column of a row that keeps one cell for each column. */
  private final Map<CellColumn, Long> newest = new HashMap<>();

  private record CellColumn(int family, Bytes qualifier) {}

  /** Takes the cells of remaining samples. Index cells exist already: the samples were there. */
  private final CellSink sink =
      new CellSink() {
        @Override
        public MutationBatch data(int table) {
          return puts;
        }

        @Override
        public MutationBatch index(int table) {
          return new MutationBatch();
        }

        @Override
        public void refuse(int column, int sample, Refusal refusal) {
          throw new IllegalStateException(
              "layout '%s' refuses a sample that it holds: %s"
                  .formatted(placed.name(), refusal.message()));
        }
      };

  RowRewrite(OpenDataset dataset, PlacedLayout placed, RemovalTally tally) {
    this.dataset = dataset;
    this.placed = placed;
    this.layout = placed.layout();
    this.tally = tally;
  }

  /** Returns the edits of some rows, valid until the next call. */
  MutationBatch edits(Map<Bytes, Match> rows) {
    edits.clear();
    DeleteFilter deleted = dataset.deletes().filter(TimeRange.ALL, dataset.index(), ReadGuard.NONE);
    rows.forEach((row, series) -> {
      CellBatch cells = read(placed.dataTable(), row);
      newest.clear();
      for (int cell = 0; cell < cells.size(); cell++) {
        noteTime(cells, cell);
      }
      for (int cell = 0; cell < cells.size(); cell++) {
        decoded.clear();
        layout.decode(cells, cell, cell + 1, decoded);
        int hidden = decoded.damages().isEmpty() ? CellRemoval.hidden(series, decoded, deleted) : 0;
        if (hidden > 0) {
          replace(cells, cell, series, deleted);
          tally.rewritten(hidden);
        }
      }
    });
    return edits;
  }

  private void replace(CellBatch cells, int cell, Match series, DeleteFilter deleted) {
    puts.clear();
    encode(series, deleted, 0);
    boolean inPlace = hasPut(cells, cell, cells.time(cell));
    if (inPlace && !layout.domain().versions() && CellRemoval.supersedes(spec(), cells, cell)) {
      // Of two cells with one time, some stores keep that of the higher value.
      puts.clear();
      encode(series, deleted, dataset.periods().stampUnit());
      inPlace = hasPut(cells, cell, cells.time(cell));
    }
    if (!inPlace) {
      CellRemoval.delete(spec(), cells, cell, edits);
    }
    newest.remove(column(cells, cell), cells.time(cell));
    for (int put = 0; put < puts.size(); put++) {
      // A sample of a compacted cell may have been written again, into the cell that it would get:
      // some stores keep the last put of a column, whatever its time.
      if (noteTime(puts.cells(), put)) {
        edits.addFrom(puts, put);
      }
    }
  }

  /** Returns whether no cell that was noted before supersedes a cell. */
  private boolean noteTime(CellBatch cells, int cell) {
    if (!CellRemoval.supersedes(spec(), cells, cell)) {
      return true;
    }
    CellColumn column = column(cells, cell);
    long time = cells.time(cell);
    long latest = Math.max(time, newest.getOrDefault(column, Long.MIN_VALUE));
    newest.put(column, latest);
    return latest == time;
  }

  private static CellColumn column(CellBatch cells, int cell) {
    return new CellColumn(cells.family(cell), cells.qualifier(cell));
  }

  private TableSpec spec() {
    return placed.dataTable().spec();
  }

  private boolean hasPut(CellBatch cells, int cell, long time) {
    for (int put = 0; put < puts.size(); put++) {
      CellBatch made = puts.cells();
      if (made.family(put) == cells.family(cell)
          && made.time(put) == time
          && made.qualifier(put).equals(cells.qualifier(cell))
          && made.row(put).equals(cells.row(cell))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Encodes the samples that remain of the decoded cell.
   *
   * @param later the amount that is added to their stamps
   */
  private void encode(Match series, DeleteFilter deleted, long later) {
    Optional<Binding> binding = placed.find(series.key());
    if (binding.isEmpty()) {
      throw new IllegalStateException(
          "layout '%s' has no binding of %s, whose rows it has"
              .formatted(placed.name(), series.key()));
    }
    Map<Long, List<Column>> byTime = new TreeMap<>();
    long stamp = 0;
    for (Vector vector : decoded.vectors()) {
      Samples samples = vector.samples();
      HiddenSamples hidden = samples.isEmpty() ? null : deleted.of(series.series(), vector.field());
      for (int i = 0; i < samples.size(); i++) {
        stamp = samples.stamp(i);
        if (hidden == null || !hidden.contains(samples.time(i), stamp)) {
          byTime
              .computeIfAbsent(samples.time(i), time -> new ArrayList<>())
              .add(column(vector.field(), samples, i));
        }
      }
    }
    for (Map.Entry<Long, List<Column>> instant : byTime.entrySet()) {
      SampleGroup group =
          new SampleGroup(series.key(), 1, new long[] {instant.getKey()}, instant.getValue());
      layout.encode(binding.get(), group, stamp + later, sink);
    }
  }

  private static Column column(String field, Samples samples, int index) {
    return switch (samples.kind()) {
      case DOUBLE -> new Column.Doubles(field, new double[] {samples.doubleAt(index)}, null);
      case INT64 -> new Column.Longs(field, new long[] {samples.longAt(index)}, null);
      case STRING -> {
        int start = samples.textStart(index);
        int length = samples.textEnd(index) - start;
        byte[] text = new byte[length];
        System.arraycopy(samples.text(), start, text, 0, length);
        yield new Column.Texts(field, text, new int[] {length}, null);
      }
    };
  }

  private static CellBatch read(Table table, Bytes row) {
    byte[] bytes = row.toArray();
    int partition = table.spec().partitioning().prefixLength(bytes, 0, bytes.length);
    List<FamilySelect> families = new ArrayList<>();
    for (int family = 0; family < table.spec().families().size(); family++) {
      families.add(FamilySelect.all(family));
    }
    CellBatch all = new CellBatch();
    CellBatch page = new CellBatch();
    Slice slice = Slice.row(row.slice(0, partition), row);
    try (CellCursor cursor = table.read(ReadPlan.of(List.of(slice), families), null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          all.addFrom(page, cell);
        }
      }
    }
    return all;
  }
}

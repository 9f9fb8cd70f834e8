package dev.varve.layout.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.Layout;
import dev.varve.layout.ReadScope;
import dev.varve.layout.contract.PlanReader.Found;
import dev.varve.model.GroupKey;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongConsumer;

/**
 * The part of the contract of layouts that depends on the store, for stores that are slow to test:
 * the promises of {@link LayoutContract} with fewer tries. It also checks that the store holds and
 * returns the same cells as the memory store.
 */
public final class StoreOfLayouts {
  private final LayoutLab lab;

  public StoreOfLayouts(LayoutLab lab) {
    this.lab = lab;
  }

  /** Returns the promises by name; each takes a seed. */
  public Map<String, LongConsumer> promises() {
    Map<String, LongConsumer> promises = new LinkedHashMap<>();
    promises.put("agrees with tables that it has opened", seed -> agreesWithItsTables());
    promises.put("gives back what it was given", seed -> roundTrip(seed).givesBackWhatItWasGiven());
    promises.put(
        "the last accepted wins", seed -> roundTrip(seed).theLastAcceptedWinsWhateverItsKind());
    promises.put("gives back attributes", seed -> roundTrip(seed).givesBackAttributes());
    promises.put(
        "keeps what amendments replaced", seed -> roundTrip(seed).keepsWhatAmendmentsReplaced());
    promises.put(
        "finds keys again by their rows", seed -> roundTrip(seed).findsKeysAgainByTheirRows());
    promises.put(
        "plans read what was asked for",
        seed -> new Plans(lab, new Random(seed)).readWhatWasAskedFor());
    promises.put("holds the cells that memory holds", this::holdsTheCellsThatMemoryHolds);
    return promises;
  }

  private RoundTrip roundTrip(long seed) {
    return new RoundTrip(lab, new Random(seed));
  }

  private void agreesWithItsTables() {
    Layout layout = lab.layout();
    try (LayoutTables tables = lab.open()) {
      assertThat(tables.run(layout.opening())).isEmpty();
    }
  }

  private void holdsTheCellsThatMemoryHolds(long seed) {
    LayoutLab memory = LayoutLab.inMemory(lab.fixture());
    long center = lab.time(new Random(seed));
    try (LayoutTables here = lab.open();
        LayoutTables there = memory.open()) {
      Found found = write(here, center, seed);
      Found expected = write(there, center, seed);

      for (int table = 0; table < lab.layout().tables().size(); table++) {
        assertThat(cells(here, table)).as("table %d", table).isEqualTo(cells(there, table));
      }
      assertThat(found.hits()).hasSameSizeAs(expected.hits());
      assertThat(found.latest()).isEqualTo(expected.latest());
    }
  }

  private Found write(LayoutTables tables, long center, long seed) {
    RandomWrites writes = new RandomWrites(lab.fixture(), new Random(seed));
    Written written = writes.around(center, 4, 40);
    writes.apply(written, tables);
    TimeRange times = writes.stretch(center);
    List<GroupKey> keys = written.keys();
    return tables.read(
        tables.request(keys.stream().map(tables::bind).toList(), ReadScope.of(times)));
  }

  /**
   * Returns the cells of a table. Index cells are put repeatedly, and it does not matter which put
   * wins.
   */
  private List<Cell> cells(LayoutTables tables, int table) {
    boolean index = table != lab.layout().dataTable();
    return tables.cells(table).stream()
        .map(cell -> index ? withoutTime(cell) : cell)
        .sorted(
            Comparator.comparing(Cell::row)
                .thenComparingInt(Cell::family)
                .thenComparing(Cell::qualifier)
                .thenComparing(Comparator.comparingLong(Cell::time).reversed()))
        .toList();
  }

  private static Cell withoutTime(Cell cell) {
    return new Cell(cell.row(), cell.family(), cell.qualifier(), 0, cell.value());
  }
}

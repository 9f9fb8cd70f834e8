package dev.varve.layout.contract;

import dev.varve.layout.Layout;
import dev.varve.model.TimeRange;
import dev.varve.store.Capabilities.CellTimes;
import dev.varve.store.FamilySpec;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.util.Random;
import java.util.function.Supplier;

/**
 * A layout to test and the kind of tables on which to test it.
 *
 * @param source supplies new, empty tables on each call
 */
public record LayoutLab(LayoutFixture fixture, Supplier<TableSource> source) {
  private static final int TRIES = 10_000;

  static LayoutLab inMemory(LayoutFixture fixture) {
    return new LayoutLab(fixture, TableSource::inMemory);
  }

  Layout layout() {
    return fixture.layout();
  }

  /** Returns new, empty tables of the layout. */
  LayoutTables open() {
    return new LayoutTables(layout(), source.get());
  }

  /**
   * Returns a time in the domain such that the tables can hold what the tests write around it: a
   * store may support fewer cell times than the domain.
   */
  long time(Random random) {
    DomainPoints points = new DomainPoints(layout());
    for (int i = 0; i < TRIES; i++) {
      long time = fixture.time(random);
      if (holds(points.around(time))) {
        return time;
      }
    }
    throw new AssertionError(
        layout().identity() + ": no time was found that its store can hold as cell time");
  }

  private boolean holds(TimeRange times) {
    TableSpec data = layout().tables().get(layout().dataTable());
    boolean timesAreData =
        data.families().stream().map(FamilySpec::time).anyMatch(TimeUse.DATA::equals);
    if (!timesAreData) {
      return true;
    }
    try (TableSource tables = source.get()) {
      CellTimes kept = tables.capabilities(data).cellTimes();
      return kept == null || (times.from() >= kept.min() && times.to() <= kept.max());
    }
  }
}

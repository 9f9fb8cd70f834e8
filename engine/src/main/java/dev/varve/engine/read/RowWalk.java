package dev.varve.engine.read;

import dev.varve.engine.periods.PlacedLayout;
import dev.varve.layout.plan.Plan;
import dev.varve.store.CellBatch;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the complete, undecoded rows of some series in one layout, for maintenance that
 * rewrites rows. Used by one thread.
 */
public final class RowWalk implements AutoCloseable {
  private final Reading reading;
  private final PlannedRead planned;
  private int nextGroup;
  private int nextStrand;
  private @Nullable StrandCursor strand;

  RowWalk(Reading reading, PlannedRead planned) {
    this.reading = reading;
    this.planned = planned;
  }

  /** Returns the layout of the rows. */
  public PlacedLayout layout() {
    return planned.layout();
  }

  /**
   * Passes the cells of the next row to a visitor. They are valid until the next call.
   *
   * @return false if no row is left
   */
  public boolean next(RowVisitor visitor) {
    for (StrandCursor from = strand(); from != null; from = strand()) {
      if (from.next()) {
        visitor.row(from.cells(), from.from(), from.to());
        return true;
      }
      from.close();
      strand = null;
    }
    return false;
  }

  /** Receives the cells {@code from} (inclusive) to {@code to} (exclusive) of a row. */
  public interface RowVisitor {
    void row(CellBatch cells, int from, int to);
  }

  private @Nullable StrandCursor strand() {
    while (strand == null && nextGroup < planned.plan().groups().size()) {
      Plan.StrandGroup group = planned.plan().groups().get(nextGroup);
      if (nextStrand == group.strands().size()) {
        nextGroup++;
        nextStrand = 0;
      } else {
        Plan.Strand next = group.strands().get(nextStrand++);
        strand =
            new StrandCursor(
                reading,
                layout().table(next.table()),
                next,
                new RowKeys(layout().layout().rows()),
                planned.wanted(group, next),
                true);
      }
    }
    return strand;
  }

  @Override
  public void close() {
    reading.close();
  }
}

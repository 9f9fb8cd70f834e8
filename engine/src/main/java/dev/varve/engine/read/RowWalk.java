package dev.varve.engine.read;

import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.layout.plan.Plan;
import dev.varve.store.CellBatch;
import dev.varve.store.Table;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the undecoded rows of some series in one layout, for maintenance that rewrites
 * rows. Used by one thread.
 */
public final class RowWalk implements AutoCloseable {
  private final Reading reading;
  private final PlannedRead planned;
  private final boolean wholeRows;
  private int nextGroup;
  private int nextStrand;
  private Plan.@Nullable StrandGroup group;
  private @Nullable Table table;
  private @Nullable StrandCursor strand;

  /**
   * @param wholeRows whether a row is visited as one piece, which the walk holds in memory
   */
  RowWalk(Reading reading, PlannedRead planned, boolean wholeRows) {
    this.reading = reading;
    this.planned = planned;
    this.wholeRows = wholeRows;
  }

  /** Returns the layout of the rows. */
  public PlacedLayout layout() {
    return planned.layout();
  }

  /**
   * Passes the cells of the next row, or of a piece of it, to a visitor. They are valid until the
   * next call.
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

  /** Returns the series of the row passed last. */
  public Match series() {
    Plan.StrandGroup of = Objects.requireNonNull(group);
    int binding = of.bindings().get(Objects.requireNonNull(strand).place());
    return reading.matches().get(planned.matches().get(binding));
  }

  /** Returns the table of the row passed last. */
  public Table table() {
    return Objects.requireNonNull(table);
  }

  /** Receives the cells {@code from} (inclusive) to {@code to} (exclusive) of a row. */
  public interface RowVisitor {
    void row(CellBatch cells, int from, int to);
  }

  private @Nullable StrandCursor strand() {
    while (strand == null && nextGroup < planned.plan().groups().size()) {
      Plan.StrandGroup next = planned.plan().groups().get(nextGroup);
      if (nextStrand == next.strands().size()) {
        nextGroup++;
        nextStrand = 0;
      } else {
        open(next, next.strands().get(nextStrand++));
      }
    }
    return strand;
  }

  private void open(Plan.StrandGroup of, Plan.Strand next) {
    group = of;
    table = layout().table(next.table());
    strand =
        new StrandCursor(
            reading,
            table,
            next,
            new RowKeys(layout().layout().rows()),
            planned.wanted(of, next),
            wholeRows);
  }

  @Override
  public void close() {
    reading.close();
  }
}

package dev.varve.engine.heat;

import dev.varve.engine.heat.KeyCounters.Way;
import dev.varve.model.Bytes;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Direction;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadCost;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A table whose reads and writes are counted by ranges of its rows. */
public final class CountedTable implements Table {
  /** Rows whose first page is smaller are not large. */
  private static final int LARGE_BYTES = 4 << 10;

  private final Table table;
  private final KeyCounters counters;

  /** Creates the counted form of a table. */
  public CountedTable(Table table, KeyCounters counters) {
    this.table = table;
    this.counters = counters;
  }

  @Override
  public TableSpec spec() {
    return table.spec();
  }

  @Override
  public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
    long began = System.nanoTime();
    List<RowOutcome> outcomes = table.apply(batch, durability);
    counters.count(batch.cells(), micros(began), Way.WRITTEN);
    return outcomes;
  }

  private static long micros(long began) {
    return (System.nanoTime() - began) / 1000;
  }

  @Override
  public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
    return new CountedCursor(
        table.read(plan, resume), isOrdered(plan) ? Way.READ_IN_ORDER : Way.READ);
  }

  /** Returns whether all rows of a plan come in the order of their keys, or in its reverse. */
  private static boolean isOrdered(ReadPlan plan) {
    List<Slice> slices = plan.slices();
    boolean forward = plan.direction() == Direction.FORWARD;
    for (int i = 1; i < slices.size(); i++) {
      Slice before = slices.get(forward ? i - 1 : i);
      Slice after = slices.get(forward ? i : i - 1);
      Bytes end = before.endRow();
      boolean apart = end != null && end.compareTo(after.fromRow()) <= 0;
      boolean ofOneRow = before.isOneRow() && before.fromRow().equals(after.fromRow());
      if (!apart && !ofOneRow) {
        return false;
      }
    }
    return true;
  }

  @Override
  public <P extends Power> Optional<P> power(Class<P> power) {
    Optional<P> found = table.power(power);
    return power == Power.Expiry.class
        ? found.map(one -> power.cast(new CountedExpiry((Power.Expiry) one)))
        : found;
  }

  @Override
  public void close() {
    table.close();
  }

  /** Writes that expire. */
  private final class CountedExpiry implements Power.Expiry {
    private final Power.Expiry expiry;

    private CountedExpiry(Power.Expiry expiry) {
      this.expiry = expiry;
    }

    @Override
    public List<RowOutcome> apply(MutationBatch batch, Durability durability, Duration lifetime) {
      long began = System.nanoTime();
      List<RowOutcome> outcomes = expiry.apply(batch, durability, lifetime);
      counters.count(batch.cells(), micros(began), Way.WRITTEN);
      return outcomes;
    }
  }

  /** Counts each page. */
  private final class CountedCursor implements CellCursor {
    private final CellCursor cursor;
    private final Way way;

    /** The last row of the page before, if it filled that page. */
    private byte[] row = new byte[0];

    private long rowBytes;
    private long rowCells;

    private CountedCursor(CellCursor cursor, Way way) {
      this.cursor = cursor;
      this.way = way;
    }

    @Override
    public boolean next(CellBatch into) {
      long began = System.nanoTime();
      boolean more = cursor.next(into);
      if (more) {
        counters.count(into, micros(began), way);
        measureRow(into);
      }
      return more;
    }

    /** Adds up consecutive pages that have cells of only one row. */
    private void measureRow(CellBatch page) {
      int last = page.size() - 1;
      if ((rowCells == 0 && page.byteCount() < LARGE_BYTES) || !page.sameRow(0, last)) {
        rowCells = 0;
        return;
      }
      int from = page.rowOffset(0);
      int to = from + page.rowLength(0);
      boolean goesOn = rowCells > 0 && Arrays.equals(row, 0, row.length, page.bytes(), from, to);
      if (!goesOn) {
        rowBytes = 0;
        rowCells = 0;
        row = Arrays.copyOfRange(page.bytes(), from, to);
      }
      rowBytes += page.byteCount();
      rowCells += page.size();
      counters.large(page, 0, rowBytes, rowCells);
    }

    @Override
    public @Nullable ResumeToken token() {
      return cursor.token();
    }

    @Override
    public ReadCost cost() {
      return cursor.cost();
    }

    @Override
    public void cancel() {
      cursor.cancel();
    }

    @Override
    public void close() {
      cursor.close();
    }
  }
}

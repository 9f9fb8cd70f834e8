package dev.varve.engine.read;

import dev.varve.engine.CorruptDataException;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.plan.Plan;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Table;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Walks over the rows of a strand that are wanted, piece by piece. Used by one thread. */
final class StrandCursor implements AutoCloseable {
  private final Reading reading;
  private final Table table;
  private final CellCursor cursor;
  private final RowKeys keys;
  private final @Nullable SignatureIndex signatures;
  private final boolean wholeRows;
  private final CellBatch page = new CellBatch();
  private final CellBatch carried = new CellBatch();
  private final KeyBytes signature = new KeyBytes();
  private final KeyBytes unit = new KeyBytes();

  /** The row of the last cells of the page before. */
  private final KeyBytes lastRow = new KeyBytes();

  private boolean goesOn;
  private boolean ended;
  private CellBatch cells = page;
  private int from;
  private int to;
  private int next;
  private int place;

  /**
   * Starts to read a strand.
   *
   * @param signatures of the series that are wanted; null where every row is of the first
   * @param wholeRows whether a row is given out as one piece, however many pages it fills
   */
  StrandCursor(
      Reading reading,
      Table table,
      Plan.Strand strand,
      RowKeys keys,
      @Nullable SignatureIndex signatures,
      boolean wholeRows) {
    this.reading = reading;
    this.table = table;
    this.keys = keys;
    this.signatures = signatures;
    this.wholeRows = wholeRows;
    this.cursor = reading.open(table, strand.read());
  }

  /**
   * Goes to the next piece: cells of one row, all of it or as many as the page holds.
   *
   * @return false where there is none
   */
  boolean next() {
    while (next < page.size() || pull()) {
      reading.ensureWanted();
      int end = next + 1;
      while (end < page.size() && page.sameRow(next, end)) {
        end++;
      }
      if (!(goesOn && next == 0 && isLastRow())) {
        readKey();
      }
      from = next;
      next = end;
      goesOn = end == page.size();
      if (goesOn) {
        lastRow.clear();
        lastRow.raw(page.bytes(), page.rowOffset(from), page.rowLength(from));
      }
      if (place >= 0) {
        cells = page;
        to = end;
        if (goesOn && wholeRows) {
          carry();
        }
        // A row that an attempt has left half read would look damaged.
        return !reading.isExceeded();
      }
    }
    return false;
  }

  private boolean pull() {
    next = 0;
    ended = ended || !reading.pull(cursor, page);
    if (ended) {
      page.clear();
    }
    return !ended;
  }

  private boolean isLastRow() {
    int offset = page.rowOffset(0);
    return Arrays.equals(
        lastRow.array(), 0, lastRow.length(), page.bytes(), offset, offset + page.rowLength(0));
  }

  private void readKey() {
    try {
      keys.read(page, next, signature, unit);
    } catch (DamagedCellException e) {
      throw damaged(page, next, e.getMessage());
    }
    place = signatures == null ? 0 : signatures.find(signature);
  }

  /** Gathers the rest of the row from the pages that follow. */
  private void carry() {
    carried.clear();
    add(from, to);
    boolean more = true;
    while (more && next == page.size() && pull()) {
      more = isLastRow();
      int end = 0;
      while (more && end < page.size() && page.sameRow(0, end)) {
        end++;
      }
      add(0, end);
      next = end;
    }
    goesOn = false;
    cells = carried;
    from = 0;
    to = carried.size();
  }

  private void add(int first, int end) {
    for (int cell = first; cell < end; cell++) {
      carried.addFrom(page, cell);
    }
  }

  /** The cells of the piece lie in this batch, until the next call of {@link #next()}. */
  CellBatch cells() {
    return cells;
  }

  int from() {
    return from;
  }

  int to() {
    return to;
  }

  /** The place of the row's series in the group. */
  int place() {
    return place;
  }

  /** What the row has in common with those that are decoded together with it. */
  KeyBytes unit() {
    return unit;
  }

  CorruptDataException damaged(CellBatch batch, int cell, @Nullable String reason) {
    return new CorruptDataException(
        "table '%s', row %s, family '%s', qualifier %s: %s"
            .formatted(
                table.spec().name(),
                batch.row(cell),
                table.spec().families().get(batch.family(cell)).name(),
                batch.qualifier(cell),
                reason));
  }

  @Override
  public void close() {
    reading.close(cursor);
  }
}

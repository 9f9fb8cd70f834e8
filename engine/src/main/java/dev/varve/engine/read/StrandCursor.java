package dev.varve.engine.read;

import dev.varve.engine.error.CorruptDataException;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.plan.Plan;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Table;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Iterates over the wanted rows of a strand, in pieces. Used by one thread. */
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

  /** The row key of the last cells of the previous page. */
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
   * @param signatures signatures of the wanted series; null if every row is of the first series
   * @param wholeRows whether a row is returned as one piece even if it spans several pages
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
   * Advances to the next piece: the cells of one row, or as many of them as the page contains.
   *
   * @return false if no piece is left
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
        // A row truncated at the limit of an attempt would look damaged.
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

  /** Collects the rest of the row from the following pages. */
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

  /**
   * Returns the batch that contains the cells of the piece until the next call of {@link #next()}.
   */
  CellBatch cells() {
    return cells;
  }

  int from() {
    return from;
  }

  int to() {
    return to;
  }

  /** Returns the place of the row's series in the group. */
  int place() {
    return place;
  }

  /** Returns the bytes that all rows of a unit have in common. */
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

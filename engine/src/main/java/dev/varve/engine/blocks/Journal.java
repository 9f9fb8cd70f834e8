package dev.varve.engine.blocks;

import dev.varve.engine.blocks.JournalEntry.DamagedEntryException;
import dev.varve.engine.blocks.Rescue.DamagedEntries;
import dev.varve.engine.blocks.Rescue.Lost;
import dev.varve.engine.tables.Applier;
import dev.varve.layout.KeyBytes;
import dev.varve.model.Bytes;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.LaterFormatException;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.SizeLimits;
import dev.varve.store.Slice;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The accepted batches that are not in blocks yet, one entry per batch, in a table. Safe for use by
 * several threads.
 *
 * <pre>
 * row 00                  family j, qualifier empty, value: sealed i64
 *     01 stamp i64        family j, qualifier empty, value: an entry ({@link JournalEntry})
 * </pre>
 *
 * <p>Blocks have all samples of entries whose stamps are not above {@code sealed}. Such entries are
 * deleted, but may outlive a power failure, so a replay skips them.
 */
final class Journal {
  private static final Bytes SEALED = Bytes.of((byte) 0);
  private static final byte ENTRY = 1;
  private static final Bytes ENTRIES = Bytes.of(ENTRY);

  /** A row that never exists: deleting it is a small write, whose sync covers those before. */
  private static final Bytes NO_ROW = Bytes.of((byte) 2);

  private final Table table;
  private final Applier applier;
  private final Power.RangeDelete ranges;

  /** The stamp through which blocks have everything; the smallest number if none is known. */
  private volatile long sealedThrough = Long.MIN_VALUE;

  Journal(Table table, SizeLimits limits) {
    this.table = table;
    this.applier = new Applier(table, limits);
    this.ranges = table.power(Power.RangeDelete.class).orElseThrow();
  }

  /** Receives entries in the order of their stamps. */
  interface Replay {
    /**
     * Receives an entry.
     *
     * @param length of the entry, in bytes
     */
    void take(long stamp, int length, ColumnBatch batch);
  }

  /**
   * Appends an entry. Appending it again changes nothing.
   *
   * @throws dev.varve.engine.error.WriteFailedException if the store failed
   */
  void append(long stamp, JournalEntry entry, Durability durability) {
    MutationBatch edit = new MutationBatch();
    byte[] row = row(stamp);
    byte[] none = {};
    edit.put(row, 0, row.length, 0, none, 0, 0, stamp, entry.bytes(), 0, entry.length());
    require(applier.apply(edit, 1, durability));
  }

  /** Makes all entries appended before durable. */
  void sync() {
    MutationBatch nothing = new MutationBatch();
    nothing.deleteRow(NO_ROW);
    require(applier.apply(nothing, 1, Durability.SYNCED));
  }

  /** Records durably that blocks have everything up to a stamp, and deletes those entries. */
  void cut(long sealed) {
    MutationBatch edit = new MutationBatch();
    byte[] value = ByteBuffer.allocate(Long.BYTES).putLong(sealed).array();
    edit.put(SEALED, 0, Bytes.EMPTY, sealed, Bytes.of(value));
    require(applier.apply(edit, 1, Durability.SYNCED));
    sealedThrough = sealed;
    ranges.deleteRows(ENTRIES, Bytes.of(row(sealed)).successor());
  }

  /**
   * Returns the stamp through which blocks have everything, durably. Blocks of a later generation
   * come from a seal that failed or is not complete, and will be written again.
   */
  long sealedThrough() {
    return sealedThrough;
  }

  /** Frees the space of deleted entries, if the store can. */
  void reclaim() {
    table
        .power(Power.Reclaim.class)
        .ifPresent(power -> power.reclaim(Bytes.EMPTY, ENTRIES.prefixEnd()));
  }

  private void require(List<Applier.Rejected> rejected) {
    if (!rejected.isEmpty()) {
      throw new StoreException(
          "table '%s' rejects a write: %s"
              .formatted(table.spec().name(), rejected.getFirst().reason()));
    }
  }

  private static byte[] row(long stamp) {
    return new KeyBytes().u8(ENTRY).i64(stamp).toBytes().toArray();
  }

  /**
   * Reads all entries that blocks may lack.
   *
   * @param damaged decides about entries that cannot be decoded
   */
  void replay(Replay into, DamagedEntries damaged) {
    long sealed = sealed();
    sealedThrough = sealed;
    ColumnBatch batch = new ColumnBatch();
    MutationBatch removed = new MutationBatch();
    CellBatch page = new CellBatch();
    ReadPlan plan =
        ReadPlan.of(
            List.of(Slice.rows(Bytes.EMPTY, ENTRIES, null)), List.of(FamilySelect.latest(0)));
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          long stamp = ByteBuffer.wrap(page.bytes()).getLong(page.rowOffset(cell) + 1);
          if (stamp > sealed) {
            if (decode(page, cell, batch, damaged)) {
              into.take(stamp, page.valueLength(cell), batch);
            } else {
              removed.deleteRow(page.row(cell));
            }
          }
        }
      }
    }
    if (!removed.isEmpty()) {
      require(applier.apply(removed, 1, Durability.SYNCED));
    }
  }

  /** Returns whether an entry could be decoded; if not, it is to be removed. */
  private boolean decode(CellBatch page, int cell, ColumnBatch into, DamagedEntries damaged) {
    int value = page.valueOffset(cell);
    int length = page.valueLength(cell);
    try {
      JournalEntry.decode(page.bytes(), value, length, into);
      return true;
    } catch (LaterFormatException e) {
      throw e.in("table '%s', row %s".formatted(table.spec().name(), page.row(cell)));
    } catch (DamagedEntryException e) {
      JournalEntry.decodeReadable(page.bytes(), value, length, into);
      damaged.remove(
          "table '%s', row %s: the journal entry is damaged: %s"
              .formatted(table.spec().name(), page.row(cell), e.getMessage()),
          samples(into));
      return false;
    }
  }

  /** Returns the times of the samples of a batch, by its columns. */
  static List<Lost> samples(ColumnBatch batch) {
    List<Lost> samples = new ArrayList<>();
    for (int column = 0; column < batch.columns(); column++) {
      long first = Long.MAX_VALUE;
      long last = Long.MIN_VALUE;
      for (int i = batch.start(column); i < batch.end(column); i++) {
        first = Math.min(first, batch.times()[i]);
        last = Math.max(last, batch.times()[i]);
      }
      if (first <= last) {
        samples.add(new Lost(batch.series(column), first, last));
      }
    }
    return samples;
  }

  private long sealed() {
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.row(Bytes.EMPTY, SEALED)), List.of(FamilySelect.latest(0)));
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      return cursor.next(page)
          ? ByteBuffer.wrap(page.bytes()).getLong(page.valueOffset(0))
          : Long.MIN_VALUE;
    }
  }
}

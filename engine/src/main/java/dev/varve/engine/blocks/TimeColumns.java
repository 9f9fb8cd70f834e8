package dev.varve.engine.blocks;

import dev.varve.engine.error.CorruptDataException;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.block.BlockHead;
import dev.varve.layout.block.BlockKey;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.block.SharedTimes;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the columns of times that blocks share, one by one. For one thread. */
public final class TimeColumns {
  private static final int KEPT = 64;

  private final Table table;
  private final Resolution resolution;

  /** Columns read lately; a missing one is not kept. */
  private final Map<SharedTimes, long[]> kept =
      new LinkedHashMap<>(KEPT, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<SharedTimes, long[]> eldest) {
          return size() > KEPT;
        }
      };

  /**
   * @param table the table of blocks
   */
  public TimeColumns(Table table, Resolution resolution) {
    this.table = table;
    this.resolution = resolution;
  }

  /**
   * Returns the times that a block shares with others; null if it has its own, or if the column is
   * missing.
   *
   * @throws DamagedCellException if the column is damaged
   */
  public long @Nullable [] of(BlockHead head) {
    SharedTimes shared = head.shared();
    if (shared == null) {
      return null;
    }
    long[] known = kept.get(shared);
    if (known == null) {
      known = read(shared);
      if (known != null) {
        kept.put(shared, known);
      }
    }
    return known;
  }

  private long @Nullable [] read(SharedTimes shared) {
    Bytes row = shared.row(BlockKey.bucket(shared.start(), resolution));
    long[] found = null;
    CellBatch page = new CellBatch();
    try (CellCursor cursor =
        table.read(ReadPlan.of(List.of(Slice.row(Bytes.EMPTY, row)), times()), null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          if (page.qualifier(cell).equals(shared.qualifier())) {
            found =
                SharedTimes.decode(page.bytes(), page.valueOffset(cell), page.valueLength(cell));
          }
        }
      }
    }
    return found;
  }

  private static List<FamilySelect> times() {
    return List.of(FamilySelect.latest(BlockLayout.TIMES));
  }

  /**
   * Adds deletes of the columns of a bucket that no block uses any more. Nobody may write blocks
   * meanwhile.
   *
   * @throws CorruptDataException if a head is damaged
   */
  void dropUnused(long bucket, MutationBatch edits) {
    Set<SharedTimes> unused = new HashSet<>();
    each(
        bucket,
        BlockLayout.TIMES,
        page -> {
          for (int cell = 0; cell < page.size(); cell++) {
            unused.add(
                SharedTimes.of(page.bytes(), page.rowOffset(cell), page.qualifierOffset(cell)));
          }
        });
    if (unused.isEmpty()) {
      return;
    }
    each(
        bucket,
        BlockLayout.HEADS,
        page -> {
          for (int cell = 0; cell < page.size(); cell++) {
            unused.remove(shared(page, cell));
          }
        });
    for (SharedTimes one : unused) {
      edits.deleteColumn(one.row(bucket), BlockLayout.TIMES, one.qualifier(), TimeRange.ALL);
      kept.remove(one);
    }
  }

  private @Nullable SharedTimes shared(CellBatch page, int cell) {
    try {
      return BlockHead.read(page.bytes(), page.valueOffset(cell), page.valueLength(cell)).shared();
    } catch (DamagedCellException e) {
      throw new CorruptDataException(
          "table '%s', row %s, qualifier %s: %s"
              .formatted(
                  table.spec().name(), page.row(cell), page.qualifier(cell), e.getMessage()));
    }
  }

  private void each(long bucket, int family, Consumer<CellBatch> take) {
    Bytes from = BlockKey.bucket(bucket);
    ReadPlan plan =
        ReadPlan.of(
            List.of(Slice.rows(Bytes.EMPTY, from, from.prefixEnd())),
            List.of(FamilySelect.latest(family)));
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        take.accept(page);
      }
    }
  }
}

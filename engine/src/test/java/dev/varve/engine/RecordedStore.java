package dev.varve.engine;

import dev.varve.model.Bytes;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A store that counts every cell exactly, by table, minute and row. */
final class RecordedStore extends StoreAround {
  private static final long MINUTE_MICROS = 60_000_000;

  /** Counts of a row. */
  static final class Count {
    long reads;
    long writes;
    long bytesRead;
    long bytesWritten;
  }

  private final LongSupplier micros;
  private final Map<String, Map<Long, TreeMap<Bytes, Count>>> counts = new HashMap<>();

  RecordedStore(Store store, LongSupplier micros) {
    super(store);
    this.micros = micros;
  }

  /** Returns the sum of a range of rows in a minute. */
  synchronized Count count(String table, long minute, Bytes from, @Nullable Bytes to) {
    TreeMap<Bytes, Count> rows =
        counts.getOrDefault(table, Map.of()).getOrDefault(minute, new TreeMap<>());
    Count sum = new Count();
    for (Count one : (to == null ? rows.tailMap(from) : rows.subMap(from, to)).values()) {
      sum.reads += one.reads;
      sum.writes += one.writes;
      sum.bytesRead += one.bytesRead;
      sum.bytesWritten += one.bytesWritten;
    }
    return sum;
  }

  synchronized void forget() {
    counts.clear();
  }

  private synchronized void add(String table, CellBatch cells, boolean write) {
    TreeMap<Bytes, Count> rows =
        counts
            .computeIfAbsent(table, name -> new HashMap<>())
            .computeIfAbsent(micros.getAsLong() / MINUTE_MICROS, minute -> new TreeMap<>());
    for (int cell = 0; cell < cells.size(); cell++) {
      Count count = rows.computeIfAbsent(cells.row(cell), row -> new Count());
      boolean newRow = cell == 0 || !cells.sameRow(cell - 1, cell);
      long bytes =
          (long) cells.qualifierLength(cell)
              + cells.valueLength(cell)
              + (newRow ? cells.rowLength(cell) : 0);
      if (write) {
        count.writes++;
        count.bytesWritten += bytes;
      } else {
        count.reads++;
        count.bytesRead += bytes;
      }
    }
  }

  @Override
  public Table open(TableSpec spec, OpenMode mode) {
    return new RecordedTable(store.open(spec, mode));
  }

  private final class RecordedTable extends TableAround {
    private RecordedTable(Table table) {
      super(table);
    }

    @Override
    public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
      add(spec().name(), batch.cells(), true);
      return super.apply(batch, durability);
    }

    @Override
    public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
      return new CursorAround(super.read(plan, resume)) {
        @Override
        public boolean next(CellBatch into) {
          boolean more = super.next(into);
          add(spec().name(), into, false);
          return more;
        }
      };
    }
  }
}

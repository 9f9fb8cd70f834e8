package dev.varve.layout.kairosdb;

import dev.varve.layout.Directory.Row;
import dev.varve.model.Bytes;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the rows that cells of the index name. The row that a cell names never changes, and
 * every query of a metric reads the same cells. The cache has two generations, which together take
 * 1/128 of the heap, at most 16 MiB: when the younger generation is full, the older one is evicted.
 * Safe for use by several threads.
 */
final class KnownRows {
  private static final long GENERATION_BYTES =
      Math.min(8 << 20, Runtime.getRuntime().maxMemory() / 256);

  /** Approximate heap bytes of an entry without the bytes of its keys and the texts of its tags. */
  private static final int OVERHEAD_BYTES = 400;

  /**
   * A cell of an index table.
   *
   * @param table index into the layout's tables
   */
  record Place(int table, Bytes row, Bytes qualifier) {}

  private static final class Generation {
    private final Map<Place, Row> rows = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
  }

  private volatile Generation young = new Generation();
  private volatile Generation old = new Generation();

  /** Returns the row that a cell names; null if it is not cached. */
  @Nullable Row get(Place place) {
    Row row = young.rows.get(place);
    if (row == null) {
      row = old.rows.get(place);
      if (row != null) {
        put(place, row);
      }
    }
    return row;
  }

  void put(Place place, Row row) {
    Generation into = young;
    if (into.rows.put(place, row) == null
        && into.bytes.addAndGet(bytes(place, row)) > GENERATION_BYTES) {
      turn(into);
    }
  }

  private synchronized void turn(Generation full) {
    if (young == full) {
      old = full;
      young = new Generation();
    }
  }

  private static long bytes(Place place, Row row) {
    return OVERHEAD_BYTES
        + place.row().length()
        + place.qualifier().length()
        + row.row().length()
        + row.key().byteCount();
  }
}

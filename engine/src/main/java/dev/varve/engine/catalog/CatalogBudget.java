package dev.varve.engine.catalog;

import dev.varve.layout.Refusal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits the memory of the catalogs of all datasets of a server. Stored series stay readable and
 * writable beyond the limit; only new series and new fields are refused.
 *
 * <p>The limit is not exact: arrays of a catalog grow in steps, and batches in progress add to it.
 * Every admitted addition is charged by a generous estimate. When the estimates have used up the
 * limit, the catalogs are measured. A measurement visits every set of fields, so one is made only
 * once per second or when an eighth of the limit was charged since the last one. Safe for use by
 * several threads.
 */
public final class CatalogBudget {
  /** Memory of a series in addition to its texts: columns, hash table, postings, set of fields. */
  private static final int SERIES_BYTES = 400;

  /** Memory of a field in addition to its name, if it makes a new set of fields necessary. */
  private static final int FIELD_BYTES = 64;

  private static final long MEASURED_EVERY_NANOS = 1_000_000_000L;

  private final long max;
  private final LongSupplier nanos;
  private final List<SeriesIndex> catalogs = new CopyOnWriteArrayList<>();
  private long used;
  private long charged;
  private long measuredAt;

  /**
   * Creates the budget.
   *
   * @param max bytes that all catalogs may take
   * @param nanos a clock, such as {@link System#nanoTime}
   */
  public CatalogBudget(long max, LongSupplier nanos) {
    this.max = max;
    this.nanos = nanos;
    this.measuredAt = nanos.getAsLong() - MEASURED_EVERY_NANOS;
  }

  /** Counts a catalog from now on. */
  public synchronized void add(SeriesIndex catalog) {
    catalogs.add(catalog);
    used += catalog.bytes();
  }

  /** Bytes that all catalogs may take. */
  public long max() {
    return max;
  }

  /** Charges a new series; returns the reason if there is no room. */
  public @Nullable Refusal series(long keyBytes) {
    return charge(SERIES_BYTES + 2 * keyBytes, "series");
  }

  /** Charges a new field of a series; returns the reason if there is no room. */
  public @Nullable Refusal field(String name) {
    return charge(FIELD_BYTES + 2L * name.length(), "fields");
  }

  private synchronized @Nullable Refusal charge(long bytes, String what) {
    if (used + bytes > max) {
      measure();
    }
    if (used + bytes > max) {
      return new Refusal(
          "catalog.memory",
          "the catalogs have no room for new %s, their memory is limited to %d MiB (write.catalog)"
              .formatted(what, max >> 20));
    }
    used += bytes;
    charged += bytes;
    return null;
  }

  private void measure() {
    long now = nanos.getAsLong();
    if (now - measuredAt >= MEASURED_EVERY_NANOS || charged >= max / 8) {
      measuredAt = now;
      charged = 0;
      used = catalogs.stream().mapToLong(SeriesIndex::bytes).sum();
    }
  }
}

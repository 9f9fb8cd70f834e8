package dev.varve.engine.repair;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.home.SeriesTable;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.write.DatasetWriter;
import dev.varve.layout.Domain;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.TimeRange;
import dev.varve.store.MutationBatch;
import dev.varve.store.RowOutcome;
import dev.varve.store.StoreException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Collects series found in the rows or the index of a layout. {@link #keep} writes new ones to the
 * home and adds them to the catalog. Used by one thread.
 */
final class CatalogFinds {
  private static final long MARK_AHEAD_MICROS = 1_000_000;

  private final OpenDataset dataset;
  private final DatasetWriter writer;
  private final Domain domain;
  private final Map<GroupKey, Found> found = new HashMap<>();

  /** The finds for one key since the last {@link #keep}. */
  private static final class Found {
    private final Set<String> fields = new HashSet<>();
    private @Nullable TimeRange extent;
  }

  CatalogFinds(OpenDataset dataset, DatasetWriter writer, Domain domain) {
    this.dataset = dataset;
    this.writer = writer;
    this.domain = domain;
  }

  /** Records that a key may have samples in a time range. */
  void add(GroupKey key, TimeRange times) {
    Found of = found.computeIfAbsent(key, k -> new Found());
    TimeRange before = of.extent;
    of.extent =
        before == null
            ? times
            : new TimeRange(
                Math.min(before.from(), times.from()), Math.max(before.to(), times.to()));
  }

  /** Records that a key has a field. */
  void addField(GroupKey key, String field) {
    found.computeIfAbsent(key, k -> new Found()).fields.add(field);
  }

  /**
   * Adds the collected finds to the catalog and clears them.
   *
   * @return the number of new keys
   * @throws StoreException if the home cannot be written; the finds are kept in that case
   */
  int keep() {
    // A removal between the look at the catalog and the write would leave a row without its key.
    return writer.besideWrites(this::write);
  }

  private int write() {
    long stamp = dataset.stamps(1);
    MutationBatch edits = new MutationBatch();
    int added = 0;
    for (Map.Entry<GroupKey, Found> entry : found.entrySet()) {
      added += put(edits, entry.getKey(), entry.getValue(), stamp) ? 1 : 0;
    }
    if (!edits.isEmpty()) {
      dataset.tellOthers(found.keySet().stream().map(SeriesIdentity::of).toList());
      dataset.marks().reach(stamp, MARK_AHEAD_MICROS);
      for (RowOutcome outcome : dataset.home().series().table().apply(edits, dataset.earlier())) {
        if (!outcome.applied()) {
          throw new StoreException("the catalog cannot be written: " + outcome.reason());
        }
      }
      found.forEach(this::remember);
    }
    found.clear();
    return added;
  }

  /** Adds edits for new properties of a key. Returns whether the key itself is new. */
  private boolean put(MutationBatch edits, GroupKey key, Found of, long stamp) {
    SeriesIndex index = dataset.index();
    SeriesIdentity identity = SeriesIdentity.of(key);
    int number = index.find(identity);
    if (number < 0) {
      SeriesTable.putKey(edits, identity, key, stamp);
    }
    for (String field : of.fields) {
      for (Kind kind : domain.kinds()) {
        if (number < 0 || !index.hasField(number, field, kind)) {
          SeriesTable.putField(edits, identity, field, kind, stamp);
        }
      }
    }
    TimeRange extent = extent(of);
    if (extent != null && (number < 0 || !covers(index.extent(number), extent))) {
      SeriesTable.putExtent(edits, identity, extent, 0, stamp);
    }
    return number < 0;
  }

  /**
   * Returns the extent to record. Datasets that other programs write ignore extents, so recording
   * them would only fill the home.
   */
  private @Nullable TimeRange extent(Found of) {
    return dataset.trustsExtents() ? of.extent : null;
  }

  private static boolean covers(TimeRange known, TimeRange extent) {
    return !known.isEmpty() && known.from() <= extent.from() && known.to() >= extent.to();
  }

  private void remember(GroupKey key, Found of) {
    SeriesIndex index = dataset.index();
    int number = index.add(SeriesIdentity.of(key), key);
    for (String field : of.fields) {
      domain.kinds().forEach(kind -> index.addField(number, field, kind));
    }
    TimeRange extent = extent(of);
    if (extent != null) {
      index.extend(number, extent);
    }
  }
}

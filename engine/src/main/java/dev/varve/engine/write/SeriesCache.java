package dev.varve.engine.write;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.write.KnownSeries.KeyState;
import dev.varve.layout.RefusedException;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Tags;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Caches the series that are written to. Safe for use by several threads. */
final class SeriesCache {
  private static final long BYTES_MAX = 256L << 20;

  /** Memory of a cached series in addition to its two keys: cache entry, identity and bindings. */
  private static final int OVERHEAD_BYTES = 400;

  private final OpenDataset dataset;
  private final Cache<GroupKey, KnownSeries> known;
  private final AtomicLong forgotten = new AtomicLong();

  /**
   * Creates an empty cache.
   *
   * @param bytes memory that cached series may take; values above 256 MiB count as 256 MiB
   */
  SeriesCache(OpenDataset dataset, long bytes) {
    this.dataset = dataset;
    boolean shared = dataset.config().attached() != null;
    Duration believed = shared ? dataset.config().refresh().believed() : null;
    this.known = cache(Math.min(bytes, BYTES_MAX), believed);
  }

  /**
   * Builds the cache. If other servers write to the tables, entries expire, at times that differ
   * from series to series so that they are not all resolved again at once.
   */
  private static Cache<GroupKey, KnownSeries> cache(long bytes, @Nullable Duration believed) {
    Caffeine<GroupKey, KnownSeries> cache =
        Caffeine.newBuilder()
            .maximumWeight(bytes)
            .weigher((key, series) -> OVERHEAD_BYTES + (int) key.byteCount());
    if (believed == null) {
      return cache.build();
    }
    long half = Math.max(1, believed.toNanos() / 2);
    return cache
        .expireAfter(
            Expiry.creating((GroupKey key, KnownSeries series) ->
                Duration.ofNanos(half + ThreadLocalRandom.current().nextLong(half))))
        .build();
  }

  /**
   * Returns the series of a key as a sender wrote it.
   *
   * @throws RefusedException if a different key has the same identity
   */
  KnownSeries of(GroupKey raw) {
    KnownSeries series = find(raw);
    if (series == null) {
      GroupKey key = withResources(raw);
      int number = dataset.index().find(SeriesIdentity.of(key));
      throw new RefusedException(
          "catalog.identity",
          "%s has the same 128-bit identity as %s"
              .formatted(
                  key,
                  number < 0
                      ? "a key that was just removed"
                      : "the existing key " + dataset.index().key(number)));
    }
    return series;
  }

  /** Returns the series of a key; null if a different key has the same identity. */
  @Nullable KnownSeries find(GroupKey raw) {
    KnownSeries series = known.getIfPresent(raw);
    if (series == null || !isCurrent(series)) {
      series = resolve(raw);
      if (series != null) {
        known.put(raw, series);
      }
    }
    return series;
  }

  /** Forgets the series of a key as a sender wrote it, if a field was the last to be added. */
  void forgetAfterLast(GroupKey raw, String field, Kind kind) {
    KnownSeries series = known.getIfPresent(raw);
    if (series != null && series.state().fields().isLast(field, kind)) {
      known.invalidate(raw);
    }
  }

  /** Returns the approximate number of cached keys. */
  long size() {
    return known.estimatedSize();
  }

  /** Forgets all series, so that they are looked up again. */
  void forget() {
    // First: a series that is being looked up comes into the cache later, and is not current.
    forgotten.incrementAndGet();
    known.invalidateAll();
  }

  /**
   * Returns whether a series was looked up after names were forgotten last. Its bindings may have
   * numbers of other names otherwise.
   */
  boolean isCurrent(KnownSeries series) {
    return series.forgotten() == forgotten.get();
  }

  private @Nullable KnownSeries resolve(GroupKey raw) {
    long before = forgotten.get();
    GroupKey key = withResources(raw);
    SeriesIdentity identity = SeriesIdentity.of(key);
    KeyState state = KeyState.of(identity, dataset.index());
    int number = state.series();
    if (number >= 0 && !dataset.index().key(number).equals(key)) {
      return null;
    }
    return new KnownSeries(key, identity, before, dataset.periods().slots(), state);
  }

  /** Moves the tags that the dataset lists as resource identifiers, unless one is there already. */
  private GroupKey withResources(GroupKey raw) {
    Tags tags = raw.tags();
    Tags resource = raw.resource();
    for (String name : dataset.config().resources()) {
      String value = raw.tags().get(name);
      if (value != null && !resource.has(name)) {
        tags = tags.without(name);
        resource = resource.with(name, value);
      }
    }
    return resource.equals(raw.resource()) ? raw : new GroupKey(raw.metric(), tags, resource);
  }
}

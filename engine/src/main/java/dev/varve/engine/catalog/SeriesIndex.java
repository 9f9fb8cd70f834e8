package dev.varve.engine.catalog;

import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.request.Cardinality;
import dev.varve.engine.request.ReadGuard;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.PeekableIntIterator;
import org.roaringbitmap.RoaringBitmap;

/**
 * The keys of a dataset, numbered from 0 in the order in which this process added them, with an
 * inverted index of their labels. Safe for use by several threads.
 */
public final class SeriesIndex {
  /** Number of keys whose extents are checked to estimate a count. */
  private static final int KEYS_SAMPLED = 4096;

  /** Heap bytes of an entry of a hash map. */
  private static final int BYTES_PER_ENTRY = 80;

  /*
   * A pair is a name and a value of a label, each a number in one pool of strings. In addition to
   * its own strings, its place in the slab and its postings, a key takes 32 bytes of fields, extent
   * and count.
   */
  private final Names names = new Names();
  private final Pairs pairs = new Pairs();
  private final KeySlab keys = new KeySlab(names, pairs);
  private final Postings postings = new Postings(names, pairs, keys);
  private final FieldSets fieldSets = new FieldSets(names);
  private final SeriesNumbers numbers = new SeriesNumbers();

  /** By the number of a metric's name: the fields of its keys, without the default field. */
  private final Map<Integer, FieldSet> fieldsOfMetric = new HashMap<>();

  private final NumberColumns.Ints fields = new NumberColumns.Ints();
  private final NumberColumns.Longs from = new NumberColumns.Longs();
  private final NumberColumns.Longs to = new NumberColumns.Longs();
  private final NumberColumns.Longs counts = new NumberColumns.Longs();
  private final NumberColumns.Longs notedCounts = new NumberColumns.Longs();
  private long allFrom = Long.MAX_VALUE;
  private long allTo = Long.MIN_VALUE;

  /** Changed under the lock, but also read without it. */
  private final AtomicLong removals = new AtomicLong();

  /** Guards all of the above except the counts. */
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

  private final LabelQuestions questions = new LabelQuestions(this, names, pairs, postings);

  /** Returns the durable numbers of series, which blocks use. */
  public SeriesNumbers numbers() {
    return numbers;
  }

  /** Returns the number of keys. */
  public int size() {
    return reading(postings::size);
  }

  /** Estimates the heap bytes of the index. */
  public long bytes() {
    return reading(() -> {
      long ofKeys = keys.bytes() + postings.bytes() + fields.bytes();
      for (NumberColumns.Longs column : List.of(from, to, counts, notedCounts)) {
        ofKeys += column.bytes();
      }
      long ofFields = fieldSets.bytes() + (long) BYTES_PER_ENTRY * fieldsOfMetric.size();
      for (FieldSet set : fieldsOfMetric.values()) {
        ofFields += set.bytes();
      }
      return names.bytes() + pairs.bytes() + ofKeys + ofFields + numbers.bytes();
    });
  }

  /** Returns the number of a key, or -1 if it is absent. */
  public int find(SeriesIdentity identity) {
    return reading(() -> {
      int series = keys.find(identity);
      return postings.has(series) ? series : -1;
    });
  }

  /** Returns the number after the highest that a key has or had. */
  public int end() {
    return reading(keys::size);
  }

  /** Returns whether a number is that of a key, which has not been removed since. */
  public boolean has(int series) {
    return removals.get() == 0 ? series >= 0 : reading(() -> postings.has(series));
  }

  /** Returns how many keys were removed so far. */
  public long removals() {
    return removals.get();
  }

  /**
   * Removes a key. A caller that holds its number can still read the key. A key that is added again
   * gets its number again, without fields, extent, samples and durable numbers.
   */
  public void remove(int series) {
    lock.writeLock().lock();
    try {
      if (postings.has(series)) {
        postings.remove(series, keys.get(series));
        numbers.forget(series, fieldSets.names(fields.get(series)));
        removals.incrementAndGet();
      }
    } finally {
      lock.writeLock().unlock();
    }
  }

  /**
   * Returns the number of a key, which is added if it is absent.
   *
   * @throws IllegalArgumentException if another key has the same identity
   */
  public int add(SeriesIdentity identity, GroupKey key) {
    lock.writeLock().lock();
    try {
      int known = keys.find(identity);
      if (known >= 0 && postings.has(known(known, key))) {
        return known;
      }
      int series = known >= 0 ? known : keys.add(identity, key);
      fields.set(series, FieldSets.NONE);
      from.set(series, Long.MAX_VALUE);
      to.set(series, Long.MIN_VALUE);
      counts.set(series, 0);
      notedCounts.set(series, 0);
      postings.add(series, key);
      return series;
    } finally {
      lock.writeLock().unlock();
    }
  }

  private int known(int series, GroupKey key) {
    GroupKey existing = keys.get(series);
    if (!existing.equals(key)) {
      throw new IllegalArgumentException(
          "%s has the same 128-bit identity as the existing key %s".formatted(key, existing));
    }
    return series;
  }

  public GroupKey key(int series) {
    return reading(() -> keys.get(series));
  }

  /** Records that a key has samples of a field and kind. */
  public void addField(int series, String field, Kind kind) {
    lock.writeLock().lock();
    try {
      fields.set(series, fieldSets.with(fields.get(series), field, kind));
      if (!field.equals(Series.DEFAULT_FIELD)) {
        fieldsOfMetric
            .computeIfAbsent(keys.metric(series), one -> new FieldSet())
            .add(names.find(field), FieldSet.bit(kind));
      }
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Returns the fields of a key, sorted. */
  public List<String> fields(int series) {
    return reading(() -> fieldSets.names(fields.get(series)));
  }

  /** Returns the number of distinct fields of a metric's keys, without the default field. */
  public int fieldsOfMetric(String metric) {
    return reading(() -> {
      FieldSet set = fieldsOfMetric.get(names.find(metric));
      return set == null ? 0 : set.size();
    });
  }

  /**
   * Returns whether any key of a metric has a field.
   *
   * @param field not the default field
   */
  public boolean metricHasField(String metric, String field) {
    return reading(() -> {
      FieldSet set = fieldsOfMetric.get(names.find(metric));
      int name = names.find(field);
      return set != null && name >= 0 && set.kinds(name) != 0;
    });
  }

  /** Returns whether a key is known to have samples of a field and kind. */
  public boolean hasField(int series, String field, Kind kind) {
    return reading(() -> fieldSets.has(fields.get(series), field, kind));
  }

  /** Widens the extent of a key. */
  public void extend(int series, TimeRange extent) {
    lock.writeLock().lock();
    try {
      from.set(series, Math.min(from.get(series), extent.from()));
      to.set(series, Math.max(to.get(series), extent.to()));
      allFrom = Math.min(allFrom, extent.from());
      allTo = Math.max(allTo, extent.to());
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Returns the extent of a key; empty if it has no samples. */
  public TimeRange extent(int series) {
    return reading(() -> {
      long start = from.get(series);
      return new TimeRange(start, Math.max(start, to.get(series)));
    });
  }

  /** Returns the combined extent of some keys; empty if they have no samples. */
  public TimeRange extent(int[] some) {
    return reading(() -> {
      long start = Long.MAX_VALUE;
      long end = Long.MIN_VALUE;
      for (int series : some) {
        start = Math.min(start, from.get(series));
        end = Math.max(end, to.get(series));
      }
      return new TimeRange(start, Math.max(start, end));
    });
  }

  /** Returns the combined extent of all keys; empty if there are no samples. */
  public TimeRange extent() {
    return reading(() -> new TimeRange(allFrom, Math.max(allFrom, allTo)));
  }

  /** Adds to the number of samples of a key. Concurrent calls may lose a count. */
  public void count(int series, long samples) {
    counts.set(series, counts.get(series) + samples);
  }

  /** Raises the number of samples of a key to at least the given number. */
  public void countAtLeast(int series, long samples) {
    counts.set(series, Math.max(counts.get(series), samples));
  }

  /**
   * Returns approximately how many samples of a key were accepted, including those that replaced
   * others.
   */
  public long count(int series) {
    return counts.get(series);
  }

  /** Returns the number of samples of a key that the home records. */
  public long notedCount(int series) {
    return notedCounts.get(series);
  }

  public void notedCount(int series, long samples) {
    notedCounts.set(series, samples);
  }

  /**
   * Returns the keys that match.
   *
   * @param times excludes keys whose extent does not overlap the range; null for all keys
   * @throws IllegalArgumentException if a filter is malformed
   */
  public Matches match(Selector selector, @Nullable TimeRange times) {
    return match(selector, times, ReadGuard.NONE);
  }

  /**
   * Returns the keys that match.
   *
   * @param times excludes keys whose extent does not overlap the range; null for all keys
   * @throws IllegalArgumentException if a filter is malformed
   */
  public Matches match(Selector selector, @Nullable TimeRange times, ReadGuard guard) {
    return match(selector, times, Kind.ALL, guard);
  }

  /**
   * Returns the keys that match.
   *
   * @param times excludes keys whose extent does not overlap the range; null for all keys
   * @param kinds excludes fields without samples of these kinds, and keys without any other field
   * @throws IllegalArgumentException if a filter is malformed
   */
  public Matches match(
      Selector selector, @Nullable TimeRange times, Set<Kind> kinds, ReadGuard guard) {
    List<FilterMatch> filters = FilterMatch.of(selector, guard);
    List<FilterMatch> ofField =
        filters.stream().filter(filter -> filter.label().equals(Series.FIELD_LABEL)).toList();
    if (!filters.stream().allMatch(FilterMatch::isLookUp)) {
      guard.compares(reading(() -> postings.compared(filters)));
    }
    return reading(() -> {
      RoaringBitmap matched = postings.match(filters, guard);
      if (!ofField.isEmpty() || kinds.size() < Kind.ALL.size()) {
        matched = having(matched, ofField, kinds, guard);
      }
      if (times != null) {
        matched = within(matched, times, guard);
      }
      return new Matches(
          matched,
          series -> resolve(series, ofField, kinds),
          field -> wants(ofField, field),
          guard);
    });
  }

  /**
   * Estimates how many keys match, regardless of their fields.
   *
   * @param times excludes keys whose extent does not overlap the range. If many keys match, a
   *     sample of them decides the proportion. Null for all keys
   */
  public long count(Selector selector, @Nullable TimeRange times) {
    List<FilterMatch> filters = FilterMatch.of(selector, ReadGuard.NONE);
    return reading(() -> {
      RoaringBitmap matched = postings.match(filters, ReadGuard.NONE);
      return times == null ? matched.getLongCardinality() : countWithin(matched, times);
    });
  }

  private long countWithin(RoaringBitmap matched, TimeRange times) {
    int all = matched.getCardinality();
    int asked = Math.min(all, KEYS_SAMPLED);
    int inside = 0;
    for (int i = 0; i < asked; i++) {
      int series = matched.select((int) ((long) i * all / asked));
      inside += from.get(series) < times.to() && times.from() < to.get(series) ? 1 : 0;
    }
    return asked == 0 ? 0 : Math.round((double) inside / asked * all);
  }

  /**
   * Returns the names of the tags and resource identifiers of the matching keys, sorted.
   *
   * @param times as in {@link #match}
   */
  public List<String> labelNames(Selector selector, @Nullable TimeRange times, ReadGuard guard) {
    return labelNames(selector, times, Kind.ALL, guard);
  }

  /**
   * Returns the names of the tags and resource identifiers of the matching keys, sorted.
   *
   * @param times as in {@link #match}
   * @param kinds as in {@link #match}
   */
  public List<String> labelNames(
      Selector selector, @Nullable TimeRange times, Set<Kind> kinds, ReadGuard guard) {
    return questions.names(match(selector, times, kinds, guard), guard);
  }

  /**
   * Returns the values of a label among the matching series, sorted.
   *
   * @param times as in {@link #match}
   * @param most maximum number returned; if there are more, the first ones found are returned
   */
  public List<String> labelValues(
      String name, Selector selector, @Nullable TimeRange times, int most, ReadGuard guard) {
    return labelValues(name, selector, times, Kind.ALL, most, guard);
  }

  /**
   * Returns the values of a label among the matching series, sorted.
   *
   * @param times as in {@link #match}
   * @param kinds as in {@link #match}
   * @param most maximum number returned; if there are more, the first ones found are returned
   */
  public List<String> labelValues(
      String name,
      Selector selector,
      @Nullable TimeRange times,
      Set<Kind> kinds,
      int most,
      ReadGuard guard) {
    return questions.values(name, match(selector, times, kinds, guard), most, guard);
  }

  /**
   * Returns the first values, in sorted order, that begin with a prefix. The lock is held for one
   * label at a time, so writers of new series wait no longer than that.
   *
   * @param name null for the values of all labels except the metric
   * @param most maximum number returned, at least 1
   */
  public List<String> firstValues(@Nullable String name, String prefix, int most, ReadGuard guard) {
    return questions.first(name, prefix, most, guard);
  }

  /**
   * Counts series, and finds the names with the largest counts. Writers of new series wait for at
   * most one label at a time.
   *
   * @param within the series that count; null for all
   * @param most maximum number of names in each list, at least 1
   */
  public Cardinality cardinality(@Nullable Selector within, int most, ReadGuard guard) {
    RoaringBitmap some = within == null ? null : match(within, null, guard).series();
    return questions.cardinality(some, most, guard);
  }

  private Match resolve(int series, List<FilterMatch> ofField, Set<Kind> kinds) {
    return reading(() -> {
      int set = fields.get(series);
      List<String> known = fieldSets.names(set);
      List<String> wanted =
          ofField.isEmpty() && kinds.size() == Kind.ALL.size()
              ? known
              : known.stream()
                  .filter(name -> wants(ofField, name) && fieldSets.has(set, name, kinds))
                  .toList();
      return new Match(series, keys.get(series), wanted);
    });
  }

  private static boolean wants(List<FilterMatch> ofField, String field) {
    String label = field.equals(Series.DEFAULT_FIELD) ? null : field;
    return ofField.stream().allMatch(filter -> filter.test(label));
  }

  /** Returns the keys that have at least one matching field. */
  private RoaringBitmap having(
      RoaringBitmap matched, List<FilterMatch> ofField, Set<Kind> kinds, ReadGuard guard) {
    boolean[] wanted = new boolean[fieldSets.size()];
    boolean all = true;
    for (int set = 0; set < wanted.length; set++) {
      guard.ensureWanted();
      if (fieldSets.isUsed(set)) {
        wanted[set] = isWanted(set, ofField, kinds);
        all &= wanted[set];
      }
    }
    if (all) {
      return matched;
    }
    RoaringBitmap kept = new RoaringBitmap();
    for (PeekableIntIterator i = matched.getIntIterator(); i.hasNext(); ) {
      int series = i.next();
      guard.ensureWanted();
      if (wanted[fields.get(series)]) {
        kept.add(series);
      }
    }
    return kept;
  }

  private boolean isWanted(int set, List<FilterMatch> ofField, Set<Kind> kinds) {
    if (ofField.isEmpty()) {
      // A key without known fields has no text values either.
      return set == FieldSets.NONE || fieldSets.hasAny(set, kinds);
    }
    return fieldSets.names(set).stream()
        .anyMatch(name -> wants(ofField, name) && fieldSets.has(set, name, kinds));
  }

  private RoaringBitmap within(RoaringBitmap matched, TimeRange times, ReadGuard guard) {
    RoaringBitmap kept = new RoaringBitmap();
    for (PeekableIntIterator i = matched.getIntIterator(); i.hasNext(); ) {
      int series = i.next();
      guard.ensureWanted();
      if (from.get(series) < times.to() && times.from() < to.get(series)) {
        kept.add(series);
      }
    }
    return kept;
  }

  /** Runs a read while nobody writes. */
  <T> T reading(Supplier<T> read) {
    lock.readLock().lock();
    try {
      return read.get();
    } finally {
      lock.readLock().unlock();
    }
  }
}

package dev.varve.engine.catalog;

import dev.varve.engine.Cardinality;
import dev.varve.engine.ReadGuard;
import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.catalog.Pairs.PairList;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
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
  /** Heap bytes of a listed string in addition to its characters. */
  private static final long STRING_BYTES = 48;

  /** Number of keys whose extents are checked to estimate a count. */
  private static final int KEYS_SAMPLED = 4096;

  /** Heap bytes of a name in a sorted set. The set shares the string with the index. */
  private static final int BYTES_PER_NAME = 64;

  /** Heap bytes of an entry of a hash map. */
  private static final int BYTES_PER_ENTRY = 80;

  /*
   * A key is a sequence of ints in a slab: the number of its metric, its number of tags, their
   * pairs, and the pairs of its resource identifiers up to the start of the next key. A pair is a
   * name and a value, each a number in one pool of strings. A key therefore takes 4 bytes per tag,
   * 16 of identity, 8 to 16 of hash table and 32 of fields, extent and count, in addition to its
   * own strings and postings.
   *
   * Labels follow Series.label: a tag hides a resource identifier of the same name, which then
   * appears as resource.NAME. The metric and the field hide tags that are named like their labels.
   */
  private final Names names = new Names();
  private final Pairs pairs = new Pairs();
  private final Map<String, Label> labels = new HashMap<>();
  private final FieldSets fieldSets = new FieldSets(names);
  private final SeriesNumbers numbers = new SeriesNumbers();

  /** By the number of a metric's name: the fields of its keys, without the default field. */
  private final Map<Integer, FieldSet> fieldsOfMetric = new HashMap<>();

  private final NumberColumns.Ints slab = new NumberColumns.Ints();
  private int slabSize;
  private final NumberColumns.Ints offsets = new NumberColumns.Ints();
  private final NumberColumns.Longs high = new NumberColumns.Longs();
  private final NumberColumns.Longs low = new NumberColumns.Longs();
  private final NumberColumns.Ints fields = new NumberColumns.Ints();
  private final NumberColumns.Longs from = new NumberColumns.Longs();
  private final NumberColumns.Longs to = new NumberColumns.Longs();
  private final NumberColumns.Longs counts = new NumberColumns.Longs();
  private final NumberColumns.Longs notedCounts = new NumberColumns.Longs();
  private long allFrom = Long.MAX_VALUE;
  private long allTo = Long.MIN_VALUE;
  private int[] table = new int[4096];
  private int size;

  /** Guards all of the above except the counts. */
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

  /** A label: its pairs and the keys that carry it. */
  private static final class Label {
    private final PairList pairs = new PairList();
    private final RoaringBitmap carriers = new RoaringBitmap();
  }

  /** Returns the durable numbers of series, which blocks use. */
  public SeriesNumbers numbers() {
    return numbers;
  }

  /** Returns the number of keys. */
  public int size() {
    return reading(() -> size);
  }

  /** Estimates the heap bytes of the index. */
  public long bytes() {
    return reading(() -> {
      long ofLabels = 0;
      for (Label label : labels.values()) {
        ofLabels += label.carriers.getLongSizeInBytes() + (long) Integer.BYTES * label.pairs.size();
      }
      long ofKeys =
          slab.bytes() + offsets.bytes() + fields.bytes() + (long) Integer.BYTES * table.length;
      for (NumberColumns.Longs column : List.of(high, low, from, to, counts, notedCounts)) {
        ofKeys += column.bytes();
      }
      long ofFields = fieldSets.bytes() + (long) BYTES_PER_ENTRY * fieldsOfMetric.size();
      for (FieldSet set : fieldsOfMetric.values()) {
        ofFields += set.bytes();
      }
      return names.bytes() + pairs.bytes() + ofLabels + ofKeys + ofFields + numbers.bytes();
    });
  }

  /** Returns the number of a key, or -1 if it is absent. */
  public int find(SeriesIdentity identity) {
    return reading(() -> table[slot(identity.high(), identity.low())] - 1);
  }

  /**
   * Returns the number of a key, which is added if it is absent.
   *
   * @throws IllegalArgumentException if another key has the same identity
   */
  public int add(SeriesIdentity identity, GroupKey key) {
    lock.writeLock().lock();
    try {
      int slot = slot(identity.high(), identity.low());
      if (table[slot] != 0) {
        return known(table[slot] - 1, key);
      }
      int series = size;
      high.set(series, identity.high());
      low.set(series, identity.low());
      offsets.set(series, slabSize);
      fields.set(series, FieldSets.NONE);
      from.set(series, Long.MAX_VALUE);
      to.set(series, Long.MIN_VALUE);
      counts.set(series, 0);
      notedCounts.set(series, 0);
      appendKey(key);
      offsets.set(series + 1, slabSize);
      indexLabels(series, key);
      table[slot] = ++size;
      if (2 * size > table.length) {
        growTable();
      }
      return series;
    } finally {
      lock.writeLock().unlock();
    }
  }

  private int known(int series, GroupKey key) {
    GroupKey standing = keyAt(series);
    if (!standing.equals(key)) {
      throw new IllegalArgumentException(
          "%s has the same 128-bit identity as the existing key %s".formatted(key, standing));
    }
    return series;
  }

  public GroupKey key(int series) {
    return reading(() -> keyAt(series));
  }

  /** Records that a key has samples of a field and kind. */
  public void addField(int series, String field, Kind kind) {
    lock.writeLock().lock();
    try {
      fields.set(series, fieldSets.with(fields.get(series), field, kind));
      if (!field.equals(Series.DEFAULT_FIELD)) {
        int metric = slab.get(offsets.get(series));
        fieldsOfMetric
            .computeIfAbsent(metric, one -> new FieldSet())
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
    guard.compares(compared(filters));
    return reading(() -> {
      RoaringBitmap matched = matchKeys(filters, guard);
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

  /** Returns an upper bound of the number of label values to compare with filters. */
  private long compared(List<FilterMatch> filters) {
    if (filters.stream().allMatch(FilterMatch::isLookUp)) {
      return 0;
    }
    return reading(() -> {
      long values = 0;
      for (FilterMatch filter : filters) {
        Label label = filter.isLookUp() ? null : labels.get(filter.label());
        values += label == null ? 0 : label.pairs.size();
      }
      return values;
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
      RoaringBitmap matched = matchKeys(filters, ReadGuard.NONE);
      return times == null ? matched.getLongCardinality() : countWithin(matched, times);
    });
  }

  private long countWithin(RoaringBitmap keys, TimeRange times) {
    int all = keys.getCardinality();
    int asked = Math.min(all, KEYS_SAMPLED);
    int inside = 0;
    for (int i = 0; i < asked; i++) {
      int series = keys.select((int) ((long) i * all / asked));
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
    Matches matches = match(selector, times, kinds, guard);
    return reading(() -> {
      List<String> found = new ArrayList<>();
      labels.forEach((name, label) -> {
        guard.ensureWanted();
        if (!name.equals(Series.NAME_LABEL)
            && RoaringBitmap.intersects(label.carriers, matches.series())) {
          found.add(name);
        }
      });
      found.sort(null);
      return found;
    });
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
    Matches matches = match(selector, times, kinds, guard);
    if (name.equals(Series.FIELD_LABEL)) {
      return fieldNames(matches, most);
    }
    return reading(() -> {
      List<String> found = new ArrayList<>();
      Label label = labels.get(name);
      if (label != null) {
        for (int i = 0; i < label.pairs.size() && found.size() < most; i++) {
          guard.ensureWanted();
          if (pairs.anyOf(matches.series(), label.pairs.get(i))) {
            String value = names.get(pairs.value(label.pairs.get(i)));
            guard.held(STRING_BYTES + 2L * value.length(), "values of a label");
            found.add(value);
          }
        }
      }
      found.sort(null);
      return found;
    });
  }

  /**
   * Returns the first values, in sorted order, that begin with a prefix. The lock is held for one
   * label at a time, so writers of new series wait no longer than that.
   *
   * @param name null for the values of all labels except the metric
   * @param most maximum number returned, at least 1
   */
  public List<String> firstValues(@Nullable String name, String prefix, int most, ReadGuard guard) {
    List<String> of = name == null ? reading(() -> List.copyOf(labels.keySet())) : List.of(name);
    TreeSet<String> first = new TreeSet<>();
    for (String label : of) {
      if (name != null || !label.equals(Series.NAME_LABEL)) {
        reading(() -> {
          addFirst(labels.get(label), prefix, most, guard, first);
          return first;
        });
      }
    }
    return List.copyOf(first);
  }

  private void addFirst(
      @Nullable Label label, String prefix, int most, ReadGuard guard, NavigableSet<String> first) {
    for (int i = 0; label != null && i < label.pairs.size(); i++) {
      guard.ensureWanted();
      int pair = label.pairs.get(i);
      String value = names.get(pairs.value(pair));
      boolean isWanted =
          value.startsWith(prefix)
              && (first.size() < most || value.compareTo(first.last()) < 0)
              && pairs.count(pair) > 0;
      if (isWanted && first.add(value)) {
        if (first.size() > most) {
          first.pollLast();
        } else {
          guard.held(BYTES_PER_NAME, "names of a catalog query");
        }
      }
    }
  }

  private List<String> fieldNames(Matches matches, int most) {
    TreeSet<String> found = new TreeSet<>();
    matches.stream()
        .flatMap(match -> match.fields().stream())
        .filter(field -> !field.equals(Series.DEFAULT_FIELD))
        .distinct()
        .limit(most)
        .forEach(found::add);
    return List.copyOf(found);
  }

  /**
   * What there is most of. Writers of new series wait for one label at a time at most.
   *
   * @param within the series that count; null for all
   * @param most how many names of each kind
   */
  public Cardinality cardinality(@Nullable Selector within, int most, ReadGuard guard) {
    RoaringBitmap some = within == null ? null : match(within, null, guard).series();
    Top metrics = new Top(most);
    Top values = new Top(most);
    Top bytes = new Top(most);
    Top carriers = new Top(most);
    long pairCount = 0;
    for (String name : reading(() -> List.copyOf(labels.keySet()))) {
      long[] sizes =
          reading(() -> {
            Label label = labels.get(name);
            return label == null
                ? new long[2]
                : countPairs(name, label, some, metrics, carriers, guard);
          });
      pairCount += sizes[0];
      if (some == null || sizes[0] > 0) {
        values.add(name, sizes[0]);
        bytes.add(name, sizes[1]);
      }
    }
    return new Cardinality(
        some == null ? size() : some.getCardinality(),
        pairCount,
        some == null ? extent() : extent(some.toArray()),
        metrics.sorted(),
        values.sorted(),
        bytes.sorted(),
        carriers.sorted());
  }

  /** Returns the number of values of a label and their total size in UTF-8 bytes. */
  private long[] countPairs(
      String name,
      Label label,
      @Nullable RoaringBitmap some,
      Top metrics,
      Top carriers,
      ReadGuard guard) {
    long bytes = 0;
    long counted = 0;
    for (int i = 0; i < label.pairs.size(); i++) {
      guard.ensureWanted();
      int pair = label.pairs.get(i);
      long count = some == null ? pairs.count(pair) : pairs.count(pair, some);
      if (some != null && count == 0) {
        continue;
      }
      String value = names.get(pairs.value(pair));
      counted++;
      bytes += utf8Size(value);
      if (carriers.wants(count)) {
        carriers.add(name + "=" + value, count);
      }
      if (name.equals(Series.NAME_LABEL)) {
        metrics.add(value, count);
      }
    }
    return new long[] {counted, bytes};
  }

  private static long utf8Size(String text) {
    long size = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      size += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
    }
    return size;
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
      return new Match(series, keyAt(series), wanted);
    });
  }

  private static boolean wants(List<FilterMatch> ofField, String field) {
    String label = field.equals(Series.DEFAULT_FIELD) ? null : field;
    return ofField.stream().allMatch(filter -> filter.test(label));
  }

  /** Returns the keys that have at least one matching field. */
  private RoaringBitmap having(
      RoaringBitmap keys, List<FilterMatch> ofField, Set<Kind> kinds, ReadGuard guard) {
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
      return keys;
    }
    RoaringBitmap kept = new RoaringBitmap();
    for (PeekableIntIterator i = keys.getIntIterator(); i.hasNext(); ) {
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

  private RoaringBitmap within(RoaringBitmap keys, TimeRange times, ReadGuard guard) {
    RoaringBitmap kept = new RoaringBitmap();
    for (PeekableIntIterator i = keys.getIntIterator(); i.hasNext(); ) {
      int series = i.next();
      guard.ensureWanted();
      if (from.get(series) < times.to() && times.from() < to.get(series)) {
        kept.add(series);
      }
    }
    return kept;
  }

  /** Returns a new bitmap of the keys that satisfy all filters, ignoring filters on the field. */
  private RoaringBitmap matchKeys(List<FilterMatch> filters, ReadGuard guard) {
    RoaringBitmap matched = null;
    List<FilterMatch> walks = new ArrayList<>();
    for (FilterMatch filter : filters) {
      if (filter.label().equals(Series.FIELD_LABEL)) {
        continue;
      }
      if (filter.isLookUp()) {
        matched = narrow(matched, filter, guard);
      } else {
        walks.add(filter);
      }
    }
    for (FilterMatch filter : walks) {
      Label label = labels.get(filter.label());
      matched =
          matched != null && label != null && matched.getLongCardinality() < label.pairs.size() / 4
              ? testEach(matched, filter, guard)
              : narrow(matched, filter, guard);
    }
    return matched == null ? everything() : matched;
  }

  /**
   * Tests the label of each key. With few keys this is cheaper than testing every value of the
   * label.
   */
  private RoaringBitmap testEach(RoaringBitmap keys, FilterMatch filter, ReadGuard guard) {
    RoaringBitmap kept = new RoaringBitmap();
    for (PeekableIntIterator i = keys.getIntIterator(); i.hasNext(); ) {
      guard.ensureWanted();
      int series = i.next();
      if (filter.test(keyAt(series).field(Series.DEFAULT_FIELD).label(filter.label()))) {
        kept.add(series);
      }
    }
    return kept;
  }

  /**
   * @param matched null for all keys
   */
  private RoaringBitmap narrow(
      @Nullable RoaringBitmap matched, FilterMatch filter, ReadGuard guard) {
    Label label = labels.get(filter.label());
    RoaringBitmap carriers = label == null ? new RoaringBitmap() : label.carriers;
    RoaringBitmap agreeing = new RoaringBitmap();
    boolean absentAgrees = false;
    if (filter.match() == null) {
      agreeing.or(carriers);
    } else {
      absentAgrees = filter.match().test("");
      if (label != null) {
        addAgreeing(agreeing, filter.label(), label, filter.match(), guard);
      }
    }
    if (absentAgrees == filter.negated()) {
      RoaringBitmap kept = filter.negated() ? RoaringBitmap.andNot(carriers, agreeing) : agreeing;
      return matched == null ? kept : and(kept, matched);
    }
    RoaringBitmap dropped = filter.negated() ? agreeing : RoaringBitmap.andNot(carriers, agreeing);
    RoaringBitmap rest = matched == null ? everything() : matched;
    rest.andNot(dropped);
    return rest;
  }

  private static RoaringBitmap and(RoaringBitmap into, RoaringBitmap other) {
    into.and(other);
    return into;
  }

  /** Adds the keys whose value of a label matches. */
  private void addAgreeing(
      RoaringBitmap into, String name, Label label, ValueMatch match, ReadGuard guard) {
    if (match instanceof ValueMatch.OneOf(var values)) {
      int nameId = names.find(name);
      for (String value : values) {
        int valueId = names.find(value);
        int pair = valueId < 0 ? -1 : pairs.find(nameId, valueId);
        if (pair >= 0) {
          pairs.addTo(into, pair);
        }
      }
      return;
    }
    for (int i = 0; i < label.pairs.size(); i++) {
      int pair = label.pairs.get(i);
      guard.ensureWanted();
      if (match.test(names.get(pairs.value(pair)))) {
        pairs.addTo(into, pair);
      }
    }
  }

  private RoaringBitmap everything() {
    return RoaringBitmap.bitmapOfRange(0, size);
  }

  private void appendKey(GroupKey key) {
    slab.set(slabSize++, names.add(key.metric()));
    slab.set(slabSize++, key.tags().size());
    for (int i = 0; i < key.tags().size(); i++) {
      slab.set(slabSize++, pair(key.tags().name(i), key.tags().value(i)));
    }
    for (int i = 0; i < key.resource().size(); i++) {
      slab.set(slabSize++, pair(key.resource().name(i), key.resource().value(i)));
    }
  }

  private int pair(String name, String value) {
    return pairs.add(names.add(name), names.add(value));
  }

  private void indexLabels(int series, GroupKey key) {
    post(series, Series.NAME_LABEL, key.metric());
    Tags tags = key.tags();
    for (int i = 0; i < tags.size(); i++) {
      if (!isReserved(tags.name(i))) {
        post(series, tags.name(i), tags.value(i));
      }
    }
    Tags resource = key.resource();
    for (int i = 0; i < resource.size(); i++) {
      String name = resource.name(i);
      String shown = tags.has(name) ? Series.RESOURCE_PREFIX + name : name;
      boolean hidden = !shown.equals(name) && (tags.has(shown) || resource.has(shown));
      if (!hidden && !isReserved(shown)) {
        post(series, shown, resource.value(i));
      }
    }
  }

  private static boolean isReserved(String label) {
    return label.equals(Series.NAME_LABEL) || label.equals(Series.FIELD_LABEL);
  }

  private void post(int series, String name, String value) {
    Label label = labels.computeIfAbsent(name, n -> new Label());
    int pair = pair(name, value);
    if (pairs.post(pair, series)) {
      label.pairs.add(pair);
    }
    label.carriers.add(series);
  }

  private GroupKey keyAt(int series) {
    int at = offsets.get(series);
    int end = offsets.get(series + 1);
    String metric = names.get(slab.get(at));
    int tags = slab.get(at + 1);
    return new GroupKey(metric, tagsAt(at + 2, at + 2 + tags), tagsAt(at + 2 + tags, end));
  }

  private Tags tagsAt(int start, int end) {
    if (start == end) {
      return Tags.EMPTY;
    }
    String[] namesAndValues = new String[2 * (end - start)];
    for (int i = start; i < end; i++) {
      int pair = slab.get(i);
      namesAndValues[2 * (i - start)] = names.get(pairs.name(pair));
      namesAndValues[2 * (i - start) + 1] = names.get(pairs.value(pair));
    }
    return Tags.of(namesAndValues);
  }

  private int slot(long identityHigh, long identityLow) {
    int mask = table.length - 1;
    int slot = (int) identityLow & mask;
    while (table[slot] != 0
        && (low.get(table[slot] - 1) != identityLow || high.get(table[slot] - 1) != identityHigh)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void growTable() {
    table = new int[2 * table.length];
    for (int series = 0; series < size; series++) {
      table[slot(high.get(series), low.get(series))] = series + 1;
    }
  }

  private <T> T reading(Supplier<T> read) {
    lock.readLock().lock();
    try {
      return read.get();
    } finally {
      lock.readLock().unlock();
    }
  }
}

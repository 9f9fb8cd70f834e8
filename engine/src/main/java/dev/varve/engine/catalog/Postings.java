package dev.varve.engine.catalog;

import dev.varve.engine.catalog.Pairs.PairList;
import dev.varve.engine.request.ReadGuard;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.PeekableIntIterator;
import org.roaringbitmap.RoaringBitmap;

/**
 * An inverted index from labels to the keys that carry them. Guarded by the lock of the owning
 * index.
 *
 * <p>Labels follow {@link Series#label}: a tag hides a resource identifier of the same name, which
 * then appears as {@code resource.NAME}. The metric and the field hide tags that are named like
 * their labels.
 */
final class Postings {
  /** A label: its pairs and the keys that carry it. */
  static final class Label {
    private final PairList pairs = new PairList();
    private final RoaringBitmap carriers = new RoaringBitmap();

    PairList pairs() {
      return pairs;
    }

    RoaringBitmap carriers() {
      return carriers;
    }
  }

  private final Names names;
  private final Pairs pairs;
  private final KeySlab keys;
  private final Map<String, Label> labels = new HashMap<>();

  /** The keys that were removed, and not added again. */
  private final RoaringBitmap removed = new RoaringBitmap();

  Postings(Names names, Pairs pairs, KeySlab keys) {
    this.names = names;
    this.pairs = pairs;
    this.keys = keys;
  }

  /** Returns the labels by name. */
  Map<String, Label> labels() {
    return labels;
  }

  /** Estimates the heap bytes, without those of pairs. */
  long bytes() {
    long bytes = 0;
    for (Label label : labels.values()) {
      bytes += label.carriers.getLongSizeInBytes() + (long) Integer.BYTES * label.pairs.size();
    }
    return bytes;
  }

  /** Returns the number of keys. */
  int size() {
    return keys.size() - removed.getCardinality();
  }

  /** Returns whether a key is there; false for the number -1. */
  boolean has(int series) {
    return series >= 0 && !removed.contains(series);
  }

  /** Adds a key under its labels. */
  void add(int series, GroupKey key) {
    removed.remove(series);
    forEachLabel(key, (name, value) -> post(series, name, value));
  }

  /** Removes a key from its labels. */
  void remove(int series, GroupKey key) {
    removed.add(series);
    forEachLabel(
        key,
        (name, value) -> {
          pairs.unpost(pairs.add(names.add(name), names.add(value)), series);
          Label label = labels.get(name);
          if (label != null) {
            label.carriers.remove(series);
          }
        });
  }

  private static void forEachLabel(GroupKey key, BiConsumer<String, String> label) {
    label.accept(Series.NAME_LABEL, key.metric());
    Tags tags = key.tags();
    for (int i = 0; i < tags.size(); i++) {
      if (!isReserved(tags.name(i))) {
        label.accept(tags.name(i), tags.value(i));
      }
    }
    Tags resource = key.resource();
    for (int i = 0; i < resource.size(); i++) {
      String name = resource.name(i);
      String shown = tags.has(name) ? Series.RESOURCE_PREFIX + name : name;
      boolean hidden = !shown.equals(name) && (tags.has(shown) || resource.has(shown));
      if (!hidden && !isReserved(shown)) {
        label.accept(shown, resource.value(i));
      }
    }
  }

  private static boolean isReserved(String label) {
    return label.equals(Series.NAME_LABEL) || label.equals(Series.FIELD_LABEL);
  }

  private void post(int series, String name, String value) {
    Label label = labels.computeIfAbsent(name, n -> new Label());
    int pair = pairs.add(names.add(name), names.add(value));
    if (pairs.post(pair, series)) {
      label.pairs.add(pair);
    }
    label.carriers.add(series);
  }

  /** Returns an upper bound of the number of label values to compare with filters. */
  long compared(List<FilterMatch> filters) {
    long values = 0;
    for (FilterMatch filter : filters) {
      Label label = filter.isLookUp() ? null : labels.get(filter.label());
      values += label == null ? 0 : label.pairs.size();
    }
    return values;
  }

  /** Returns a new bitmap of the keys that satisfy all filters, ignoring filters on the field. */
  RoaringBitmap match(List<FilterMatch> filters, ReadGuard guard) {
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
  private RoaringBitmap testEach(RoaringBitmap some, FilterMatch filter, ReadGuard guard) {
    RoaringBitmap kept = new RoaringBitmap();
    for (PeekableIntIterator i = some.getIntIterator(); i.hasNext(); ) {
      guard.ensureWanted();
      int series = i.next();
      if (filter.test(keys.get(series).field(Series.DEFAULT_FIELD).label(filter.label()))) {
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
    RoaringBitmap all = RoaringBitmap.bitmapOfRange(0, keys.size());
    all.andNot(removed);
    return all;
  }
}

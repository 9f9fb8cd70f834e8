package dev.varve.engine.catalog;

import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.util.List;

/**
 * The keys of a dataset by number, and a table of their identities. Guarded by the lock of the
 * owning index.
 *
 * <p>A key is a sequence of ints in a slab: the number of its metric, its number of tags, their
 * pairs, and the pairs of its resource identifiers up to the start of the next key. A key therefore
 * takes 4 bytes per tag, 16 of identity and 8 to 16 of hash table.
 */
final class KeySlab {
  private final Names names;
  private final Pairs pairs;
  private final NumberColumns.Ints slab = new NumberColumns.Ints();
  private int slabSize;
  private final NumberColumns.Ints offsets = new NumberColumns.Ints();
  private final NumberColumns.Longs high = new NumberColumns.Longs();
  private final NumberColumns.Longs low = new NumberColumns.Longs();
  private int[] table = new int[4096];
  private int size;

  /**
   * @param names receives the strings of keys
   * @param pairs receives their labels
   */
  KeySlab(Names names, Pairs pairs) {
    this.names = names;
    this.pairs = pairs;
  }

  int size() {
    return size;
  }

  /** Estimates the heap bytes. */
  long bytes() {
    long bytes = slab.bytes() + offsets.bytes() + (long) Integer.BYTES * table.length;
    for (NumberColumns.Longs column : List.of(high, low)) {
      bytes += column.bytes();
    }
    return bytes;
  }

  /** Returns the number of a key, or -1 if it is absent. */
  int find(SeriesIdentity identity) {
    return table[slot(identity.high(), identity.low())] - 1;
  }

  /** Adds a key that is absent. Returns its number. */
  int add(SeriesIdentity identity, GroupKey key) {
    int series = size;
    int slot = slot(identity.high(), identity.low());
    high.set(series, identity.high());
    low.set(series, identity.low());
    offsets.set(series, slabSize);
    append(key);
    offsets.set(series + 1, slabSize);
    table[slot] = ++size;
    if (2 * size > table.length) {
      grow();
    }
    return series;
  }

  private void append(GroupKey key) {
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

  /** Returns the number of the metric's name. */
  int metric(int series) {
    return slab.get(offsets.get(series));
  }

  GroupKey get(int series) {
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
    // Many keys have the same metric, or the same tags.
    int slot = (int) (identityHigh ^ identityLow) & mask;
    while (table[slot] != 0
        && (low.get(table[slot] - 1) != identityLow || high.get(table[slot] - 1) != identityHigh)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    table = new int[2 * table.length];
    for (int series = 0; series < size; series++) {
      table[slot(high.get(series), low.get(series))] = series + 1;
    }
  }
}

package dev.varve.engine.catalog;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.roaringbitmap.RoaringBitmap;

/**
 * Pairs of a label's name and value, numbered from 0 in the order of insertion, each with the
 * series that carry it. Guarded by the lock of the owning index.
 *
 * <p>Many values belong to a single series (a host, a pod). A pair with one series stores the
 * series itself instead of a bitmap.
 */
final class Pairs {
  private static final int NOBODY = -1;

  /** Heap bytes of a bitmap with one container, without its entries. */
  private static final long BITMAP_BYTES = 160;

  private static final long POSTED_BYTES = 2;

  private final NumberColumns.Ints nameIds = new NumberColumns.Ints();
  private final NumberColumns.Ints valueIds = new NumberColumns.Ints();

  /** The only series, {@link #NOBODY}, or -2 minus the index in {@link #bitmaps}. */
  private final NumberColumns.Ints postings = new NumberColumns.Ints();

  private final List<RoaringBitmap> bitmaps = new ArrayList<>();
  private int[] table = new int[4096];
  private int size;

  /** The total number of entries of all bitmaps. */
  private long posted;

  int size() {
    return size;
  }

  /** Estimates the heap bytes of the pairs and their series. */
  long bytes() {
    return nameIds.bytes()
        + valueIds.bytes()
        + postings.bytes()
        + (long) Integer.BYTES * table.length
        + BITMAP_BYTES * bitmaps.size()
        + POSTED_BYTES * posted;
  }

  int name(int pair) {
    return nameIds.get(pair);
  }

  int value(int pair) {
    return valueIds.get(pair);
  }

  /** Returns the number of a pair, or -1 if it is absent. */
  int find(int name, int value) {
    return table[slot(name, value)] - 1;
  }

  /** Returns the number of a pair, which is added if it is absent. */
  int add(int name, int value) {
    int slot = slot(name, value);
    if (table[slot] != 0) {
      return table[slot] - 1;
    }
    nameIds.set(size, name);
    valueIds.set(size, value);
    postings.set(size, NOBODY);
    table[slot] = ++size;
    if (2 * size > table.length) {
      grow();
    }
    return size - 1;
  }

  /**
   * Records that a series carries a pair.
   *
   * @return whether the series is the first of the pair
   */
  boolean post(int pair, int series) {
    int posting = postings.get(pair);
    if (posting == NOBODY) {
      postings.set(pair, series);
      return true;
    }
    if (posting >= 0) {
      bitmaps.add(RoaringBitmap.bitmapOf(posting, series));
      posted += 2;
      postings.set(pair, -1 - bitmaps.size());
    } else {
      bitmaps.get(-2 - posting).add(series);
      posted++;
    }
    return false;
  }

  /** Records that a series no longer carries a pair. */
  void unpost(int pair, int series) {
    int posting = postings.get(pair);
    if (posting == series) {
      bitmaps.add(new RoaringBitmap());
      postings.set(pair, -1 - bitmaps.size());
    } else if (posting < NOBODY) {
      RoaringBitmap bitmap = bitmaps.get(-2 - posting);
      posted -= bitmap.checkedRemove(series) ? 1 : 0;
    }
  }

  /** Adds the series that carry a pair to a bitmap. */
  void addTo(RoaringBitmap into, int pair) {
    int posting = postings.get(pair);
    if (posting >= 0) {
      into.add(posting);
    } else if (posting != NOBODY) {
      into.or(bitmaps.get(-2 - posting));
    }
  }

  /** Returns the number of series that carry a pair. */
  long count(int pair) {
    int posting = postings.get(pair);
    return posting >= 0
        ? 1
        : posting == NOBODY ? 0 : bitmaps.get(-2 - posting).getLongCardinality();
  }

  /** Returns the number of series among some that carry a pair. */
  long count(int pair, RoaringBitmap some) {
    int posting = postings.get(pair);
    return posting >= 0
        ? some.contains(posting) ? 1 : 0
        : posting == NOBODY ? 0 : RoaringBitmap.andCardinality(some, bitmaps.get(-2 - posting));
  }

  boolean anyOf(RoaringBitmap series, int pair) {
    int posting = postings.get(pair);
    return posting >= 0
        ? series.contains(posting)
        : posting != NOBODY && RoaringBitmap.intersects(series, bitmaps.get(-2 - posting));
  }

  private int slot(int name, int value) {
    int mask = table.length - 1;
    int slot = Mix.of(31 * Mix.of(value) + name) & mask;
    while (table[slot] != 0
        && (valueIds.get(table[slot] - 1) != value || nameIds.get(table[slot] - 1) != name)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    table = new int[2 * table.length];
    for (int pair = 0; pair < size; pair++) {
      table[slot(nameIds.get(pair), valueIds.get(pair))] = pair + 1;
    }
  }

  static final class PairList {
    private int[] pairs = new int[4];
    private int size;

    void add(int pair) {
      if (size == pairs.length) {
        pairs = Arrays.copyOf(pairs, 2 * size);
      }
      pairs[size++] = pair;
    }

    int size() {
      return size;
    }

    int get(int index) {
      return pairs[index];
    }
  }
}

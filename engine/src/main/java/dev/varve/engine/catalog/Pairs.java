package dev.varve.engine.catalog;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.roaringbitmap.RoaringBitmap;

/**
 * Pairs of a label's name and value, numbered from 0 as they come, and for each the series that
 * carry it. Guarded by the index that owns it.
 *
 * <p>Many values belong to one series alone (a host, a pod), so that the first series of a pair
 * stands in place of a bitmap.
 */
final class Pairs {
  private static final int NOBODY = -1;

  /** Of a bitmap with one container, without its entries, and of an entry. */
  private static final long BITMAP_BYTES = 160;

  private static final long POSTED_BYTES = 2;

  private final Columns.Ints nameIds = new Columns.Ints();
  private final Columns.Ints valueIds = new Columns.Ints();

  /** The only series, {@link #NOBODY}, or -2 - the place in {@link #bitmaps}. */
  private final Columns.Ints postings = new Columns.Ints();

  private final List<RoaringBitmap> bitmaps = new ArrayList<>();
  private int[] table = new int[4096];
  private int size;

  /** How many series the bitmaps hold together. */
  private long posted;

  int size() {
    return size;
  }

  /** About how many bytes of heap they take. */
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

  /** The number of a pair, or -1 where it is not here. */
  int find(int name, int value) {
    return table[slot(name, value)] - 1;
  }

  /** The number of a pair, a new one where it was not here. */
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
   * Notes that a series carries a pair.
   *
   * @return whether it is the first
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

  /** Adds the series that carry a pair to a bitmap. */
  void addTo(RoaringBitmap into, int pair) {
    int posting = postings.get(pair);
    if (posting >= 0) {
      into.add(posting);
    } else if (posting != NOBODY) {
      into.or(bitmaps.get(-2 - posting));
    }
  }

  /** How many series carry a pair. */
  long count(int pair) {
    int posting = postings.get(pair);
    return posting >= 0
        ? 1
        : posting == NOBODY ? 0 : bitmaps.get(-2 - posting).getLongCardinality();
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

  /** A list of pairs. */
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

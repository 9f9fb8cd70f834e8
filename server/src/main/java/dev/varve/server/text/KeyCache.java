package dev.varve.server.text;

import dev.varve.engine.HeapShares;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which key, or series, a stretch of bytes meant, so that the lines of a series are taken
 * apart once. Bounded: what was not asked for gives way. Safe for use by several threads, so that
 * all connections and requests of a format share one, however many there are.
 */
final class KeyCache<K> {
  private static final int WAYS = 4;

  /** Longer texts are not kept, so that a slot takes a few kilobytes at most. */
  private static final int TEXT_MAX = 1 << 10;

  /** As many slots as the heap has pieces of 64 KiB, within these. */
  private static final int SLOTS_MIN = 1 << 12;

  private static final int SLOTS_MAX = 1 << 16;

  /** Slots of a cache that serves a single request. */
  private static final int SLOTS_OF_REQUEST = 1 << 10;

  /** Never changed, so that whoever sees one sees all of it. */
  private record Entry<K>(byte[] text, K key) {}

  private final int slots;

  /** Empty until there is something to remember. */
  private volatile @Nullable Entry<K>[] entries = none();

  private int next;

  private KeyCache(int slots) {
    this.slots = slots;
  }

  /** A cache of the whole process, as large as fits the heap. */
  static <K> KeyCache<K> shared() {
    long pieces = Long.highestOneBit(HeapShares.OF_THIS_PROCESS.heap() >> 16);
    return new KeyCache<>(Math.clamp(pieces, SLOTS_MIN, SLOTS_MAX));
  }

  /** A small cache, for keys that mean something to one request alone. */
  static <K> KeyCache<K> ofRequest() {
    return new KeyCache<>(SLOTS_OF_REQUEST);
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // An array of a generic type.
  private static <K> @Nullable Entry<K>[] none() {
    return new Entry[0];
  }

  @Nullable K get(byte[] bytes, int from, int to) {
    @Nullable Entry<K>[] known = entries;
    if (known.length == 0) {
      return null;
    }
    int slot = slot(bytes, from, to);
    for (int way = 0; way < WAYS; way++) {
      Entry<K> entry = known[slot + way];
      if (entry != null && Arrays.equals(entry.text, 0, entry.text.length, bytes, from, to)) {
        return entry.key;
      }
    }
    return null;
  }

  void put(byte[] bytes, int from, int to, K key) {
    if (to - from > TEXT_MAX) {
      return;
    }
    // Of two threads that come here at once one loses what it remembers.
    if (entries.length == 0) {
      entries = Arrays.copyOf(entries, slots);
    }
    int way = next++ & (WAYS - 1);
    entries[slot(bytes, from, to) + way] = new Entry<>(Arrays.copyOfRange(bytes, from, to), key);
  }

  private int slot(byte[] bytes, int from, int to) {
    int hash = 1;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + bytes[i];
    }
    hash *= 0x9E3779B9;
    return (hash >>> Integer.numberOfLeadingZeros(slots - 1)) & -WAYS;
  }
}

package dev.varve.formats.text;

import dev.varve.model.HeapShares;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Caches the key or series of a piece of text, so that the lines of a series are parsed once.
 * Bounded in entries and bytes; a newer entry replaces an older one. Thread-safe, so that all
 * connections and requests of a format share one cache.
 */
final class KeyCache<K> {
  private static final int WAYS = 4;

  /** Maximum length of a cached text in bytes. */
  private static final int TEXT_MAX = 1 << 10;

  /** Memory of an entry in addition to its text and its key, which is as long, in bytes. */
  private static final int OVERHEAD_BYTES = 200;

  /** Bounds of the number of slots, which is one per 64 KiB of heap. */
  private static final int SLOTS_MIN = 1 << 12;

  private static final int SLOTS_MAX = 1 << 16;

  /** Slots of a cache that serves a single request. */
  private static final int SLOTS_OF_REQUEST = 1 << 10;

  /** An immutable entry, so that a reader sees all of it. */
  private record Entry<K>(byte[] text, K key) {
    long bytes() {
      return OVERHEAD_BYTES + 3L * text.length;
    }
  }

  private final int slots;
  private final long bytesMax;
  private final AtomicLong bytes = new AtomicLong();

  /** Allocated with the first entry. */
  private volatile AtomicReferenceArray<@Nullable Entry<K>> entries = new AtomicReferenceArray<>(0);

  private int next;

  private KeyCache(int slots, long bytesMax) {
    this.slots = slots;
    this.bytesMax = bytesMax;
  }

  /** Creates a cache for the whole process, sized by the heap. */
  static <K> KeyCache<K> shared() {
    long pieces = Long.highestOneBit(HeapShares.OF_THIS_PROCESS.heap() >> 16);
    int slots = Math.clamp(pieces, SLOTS_MIN, SLOTS_MAX);
    return new KeyCache<>(slots, HeapShares.OF_THIS_PROCESS.smallCache());
  }

  /** Creates a small cache for keys that are specific to one request. */
  static <K> KeyCache<K> ofRequest() {
    return new KeyCache<>(SLOTS_OF_REQUEST, Long.MAX_VALUE);
  }

  @Nullable K get(byte[] bytes, int from, int to) {
    AtomicReferenceArray<@Nullable Entry<K>> known = entries;
    if (known.length() == 0) {
      return null;
    }
    int slot = slot(bytes, from, to);
    for (int way = 0; way < WAYS; way++) {
      Entry<K> entry = known.getPlain(slot + way);
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
    if (entries.length() == 0) {
      synchronized (this) {
        if (entries.length() == 0) {
          entries = new AtomicReferenceArray<>(slots);
        }
      }
    }
    int way = next++ & (WAYS - 1);
    int place = slot(bytes, from, to) + way;
    Entry<K> entry = new Entry<>(Arrays.copyOfRange(bytes, from, to), key);
    replace(place, entry);
    if (this.bytes.get() > bytesMax) {
      replace(place, null);
    }
  }

  private void replace(int place, @Nullable Entry<K> entry) {
    Entry<K> before = entries.getAndSet(place, entry);
    bytes.addAndGet((entry == null ? 0 : entry.bytes()) - (before == null ? 0 : before.bytes()));
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

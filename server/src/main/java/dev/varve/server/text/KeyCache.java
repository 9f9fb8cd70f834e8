package dev.varve.server.text;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which key, or series, a stretch of bytes meant, so that the lines of a series are taken
 * apart once. Bounded: what was not asked for gives way. Not safe for use by several threads.
 */
final class KeyCache<K> {
  private static final int SLOTS = 1 << 14;
  private static final int WAYS = 4;

  /** Longer texts are not kept, so that the whole takes 16 MiB at most. */
  private static final int TEXT_MAX = 1 << 10;

  /** Empty until there is something to remember: many connections never bring a line. */
  private byte[] @Nullable [] texts = new byte[0][];

  private @Nullable Object[] keys = new Object[0];
  private int next;

  @SuppressWarnings("unchecked") // Nothing but what put() was given.
  @Nullable K get(byte[] bytes, int from, int to) {
    if (texts.length == 0) {
      return null;
    }
    int slot = slot(bytes, from, to);
    for (int way = 0; way < WAYS; way++) {
      byte[] text = texts[slot + way];
      if (text != null && Arrays.equals(text, 0, text.length, bytes, from, to)) {
        return (K) keys[slot + way];
      }
    }
    return null;
  }

  void put(byte[] bytes, int from, int to, K key) {
    if (to - from > TEXT_MAX) {
      return;
    }
    if (texts.length == 0) {
      texts = new byte[SLOTS][];
      keys = new Object[SLOTS];
    }
    int slot = slot(bytes, from, to) + (next++ & (WAYS - 1));
    texts[slot] = Arrays.copyOfRange(bytes, from, to);
    keys[slot] = key;
  }

  private static int slot(byte[] bytes, int from, int to) {
    int hash = 1;
    for (int i = from; i < to; i++) {
      hash = 31 * hash + bytes[i];
    }
    hash *= 0x9E3779B9;
    return (hash >>> 18) & (SLOTS - 1) & -WAYS;
  }
}

package dev.varve.store.rocksdb;

import java.util.Arrays;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * An iterator that keeps its current key in the heap. It steps over short distances and seeks over
 * long ones.
 */
final class KeyWalk {
  /** Number of keys to step over before seeking. A seek costs about as much as this many steps. */
  private static final int NEAR = 8;

  private final RocksIterator iterator;
  private byte[] key = new byte[256];
  private byte[] value = new byte[512];
  private int length;
  private boolean valid;
  private boolean placed;
  private long passed;
  private long leaps;

  KeyWalk(RocksIterator iterator) {
    this.iterator = iterator;
  }

  /** Returns whether there is a current key, as opposed to the end. */
  boolean valid() {
    return valid;
  }

  /** Returns an array whose first {@link #length()} bytes are the key. Growth replaces it. */
  byte[] key() {
    return key;
  }

  int length() {
    return length;
  }

  /** Returns how many keys were stepped over on the way to others. */
  long passed() {
    return passed;
  }

  /** Returns the number of seeks, each of which searches every level of the store. */
  long leaps() {
    return leaps;
  }

  /**
   * Forgets the position. The distance to the next target is then unknown, so the walk seeks to it.
   */
  void lift() {
    placed = false;
  }

  boolean startsWith(GrowingBytes prefix) {
    return valid
        && length >= prefix.length()
        && Arrays.equals(key, 0, prefix.length(), prefix.array(), 0, prefix.length());
  }

  boolean isBefore(GrowingBytes bound) {
    return valid && Arrays.compareUnsigned(key, 0, length, bound.array(), 0, bound.length()) < 0;
  }

  void next() throws RocksDBException {
    iterator.next();
    load();
  }

  /**
   * Moves to the first key at or after the target, which must not be before the current position.
   */
  void forwardTo(GrowingBytes target) throws RocksDBException {
    if (placed) {
      for (int i = 0; i < NEAR && isBefore(target); i++) {
        next();
        passed++;
      }
    }
    if (!placed || isBefore(target)) {
      iterator.seek(target.toArray());
      leaps++;
      placed = true;
      load();
    }
  }

  /** Moves to the last key before the target. There must be no key at the target itself. */
  void backTo(GrowingBytes target) throws RocksDBException {
    iterator.seekForPrev(target.toArray());
    leaps++;
    load();
    placed = false;
  }

  /** Fetches the value of the current key and returns its length. */
  int loadValue() {
    int valueLength = iterator.value(value, 0, value.length);
    if (valueLength > value.length) {
      value = new byte[Math.max(valueLength, Math.min(2 * valueLength, 1 << 20))];
      iterator.value(value, 0, value.length);
    }
    return valueLength;
  }

  /** Returns the value fetched last. Growth replaces the array. */
  byte[] value() {
    return value;
  }

  private void load() throws RocksDBException {
    valid = iterator.isValid();
    if (!valid) {
      iterator.status();
      return;
    }
    length = iterator.key(key, 0, key.length);
    if (length > key.length) {
      key = new byte[2 * length];
      length = iterator.key(key, 0, key.length);
    }
  }
}

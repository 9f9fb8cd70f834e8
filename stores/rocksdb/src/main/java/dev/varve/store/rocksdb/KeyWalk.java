package dev.varve.store.rocksdb;

import java.util.Arrays;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * An iterator with its key at hand, that walks where the way is short and leaps where it is long.
 */
final class KeyWalk {
  /** Keys to walk past before a leap, which costs about as much as these. */
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

  /** Whether there is a key, and not the end. */
  boolean valid() {
    return valid;
  }

  /** The key, of which the first {@link #length()} bytes count; another array after growth. */
  byte[] key() {
    return key;
  }

  int length() {
    return length;
  }

  /** Keys walked past so far on the way to others. */
  long passed() {
    return passed;
  }

  /** Leaps so far, each of which searches every level of the store. */
  long leaps() {
    return leaps;
  }

  /** Forgets the place: the way to the next one is unknown, so that it is leapt to. */
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

  /** Goes to the first key at or behind the target, which is not behind the place. */
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

  /** Goes to the last key before the target, at which itself there is no key. */
  void backTo(GrowingBytes target) throws RocksDBException {
    iterator.seekForPrev(target.toArray());
    leaps++;
    load();
    placed = false;
  }

  /** Fetches the value of the key, and returns its length. */
  int loadValue() {
    int valueLength = iterator.value(value, 0, value.length);
    if (valueLength > value.length) {
      value = new byte[Math.max(valueLength, Math.min(2 * valueLength, 1 << 20))];
      iterator.value(value, 0, value.length);
    }
    return valueLength;
  }

  /** The value that was fetched last; another array after growth. */
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

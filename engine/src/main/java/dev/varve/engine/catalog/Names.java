package dev.varve.engine.catalog;

import java.util.Arrays;

/**
 * A pool of distinct strings, numbered from 0 in the order of insertion. Guarded by the lock of the
 * owning index.
 */
final class Names {
  private String[] byId = new String[1024];
  private int[] table = new int[4096];
  private int size;

  /** Heap bytes of a string and its byte array, without its characters. */
  private static final int STRING_BYTES = 48;

  private long stringBytes;

  /** Estimates the heap bytes of the pool. */
  long bytes() {
    return stringBytes + (long) Integer.BYTES * (table.length + byId.length);
  }

  int size() {
    return size;
  }

  String get(int id) {
    return byId[id];
  }

  /** Returns the number of a string, or -1 if it is absent. */
  int find(String name) {
    return table[slot(name)] - 1;
  }

  /** Returns the number of a string, which is added if it is absent. */
  int add(String name) {
    int slot = slot(name);
    if (table[slot] != 0) {
      return table[slot] - 1;
    }
    if (size == byId.length) {
      byId = Arrays.copyOf(byId, 2 * size);
    }
    byId[size] = name;
    stringBytes += STRING_BYTES + name.length();
    table[slot] = ++size;
    if (2 * size > table.length) {
      grow();
    }
    return size - 1;
  }

  private int slot(String name) {
    int mask = table.length - 1;
    int slot = Mix.of(name.hashCode()) & mask;
    while (table[slot] != 0 && !byId[table[slot] - 1].equals(name)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    table = new int[2 * table.length];
    for (int id = 0; id < size; id++) {
      table[slot(byId[id])] = id + 1;
    }
  }
}

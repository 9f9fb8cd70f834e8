package dev.varve.engine.catalog;

import java.util.Arrays;

/** Strings, each once, numbered from 0 as they come. Guarded by the index that owns it. */
final class Names {
  private String[] byId = new String[1024];
  private int[] table = new int[4096];
  private int size;

  /** Of a string and its array of bytes, without its characters. */
  private static final int STRING_BYTES = 48;

  private long stringBytes;

  /** About how many bytes of heap they take. */
  long bytes() {
    return stringBytes + (long) Integer.BYTES * (table.length + byId.length);
  }

  int size() {
    return size;
  }

  String get(int id) {
    return byId[id];
  }

  /** The number of a string, or -1 where it is not here. */
  int find(String name) {
    return table[slot(name)] - 1;
  }

  /** The number of a string, a new one where it was not here. */
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

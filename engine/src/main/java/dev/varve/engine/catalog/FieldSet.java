package dev.varve.engine.catalog;

import dev.varve.model.Kind;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one or more keys, each with the kinds of its samples. The lock of the owning index
 * guards all state; only {@link #sorted} may be set by several readers at once.
 */
final class FieldSet {
  private static final int CAPACITY_MIN = 2;

  /** Heap bytes of the object, the headers of its two arrays and its entry in the list of sets. */
  private static final int BYTES = 160;

  /** An open-addressing hash table of name IDs, plus 1; 0 in free slots. */
  private int[] table;

  /** The kinds of the field in each slot of {@link #table}, one bit per kind. */
  private byte[] kinds;

  private int size;
  private byte allKinds;
  private long hash;

  /** The number of keys that have this set. */
  private int users;

  /** The names, sorted; null until first requested. */
  private @Nullable List<String> sorted;

  FieldSet() {
    this.table = new int[CAPACITY_MIN];
    this.kinds = new byte[CAPACITY_MIN];
  }

  private FieldSet(FieldSet other) {
    this.table = other.table.clone();
    this.kinds = other.kinds.clone();
    this.size = other.size;
    this.allKinds = other.allKinds;
    this.hash = other.hash;
  }

  /** Returns a copy of the fields as a set that no key has yet. */
  FieldSet copy() {
    return new FieldSet(this);
  }

  static byte bit(Kind kind) {
    return switch (kind) {
      case INT64 -> 1;
      case DOUBLE -> 2;
      case STRING -> 4;
    };
  }

  static byte bits(Set<Kind> kinds) {
    byte bits = 0;
    for (Kind kind : kinds) {
      bits |= bit(kind);
    }
    return bits;
  }

  int size() {
    return size;
  }

  int users() {
    return users;
  }

  void retain() {
    users++;
  }

  void release() {
    users--;
  }

  /** Returns the sum of the hashes of fields and kinds. It does not depend on their order. */
  long hash() {
    return hash;
  }

  /** Returns the hash that this set would have with one more kind of a field. */
  long hashWith(int name, byte kind) {
    // The finaliser of SplitMix64.
    long z = (((long) name << 3) | kind) + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return hash + (z ^ (z >>> 31));
  }

  /** Returns the kinds of a field as bits; 0 if the set does not contain the field. */
  byte kinds(int name) {
    return kinds[slot(name)];
  }

  /** Returns whether any field has one of the given kinds. */
  boolean hasAnyOf(byte bits) {
    return (allKinds & bits) != 0;
  }

  void add(int name, byte kind) {
    if ((kinds(name) & kind) != 0) {
      return;
    }
    hash = hashWith(name, kind);
    allKinds |= kind;
    int slot = slot(name);
    if (table[slot] == 0) {
      table[slot] = name + 1;
      size++;
      sorted = null;
    }
    kinds[slot] |= kind;
    if (4 * size > 3 * table.length) {
      grow();
    }
  }

  /** Returns whether this set equals another set with one more kind of a field. */
  boolean is(FieldSet other, int name, byte kind) {
    int more = other.kinds(name) == 0 ? 1 : 0;
    if (size != other.size + more || kinds(name) != (other.kinds(name) | kind)) {
      return false;
    }
    for (int slot = 0; slot < other.table.length; slot++) {
      int one = other.table[slot] - 1;
      if (one >= 0 && one != name && kinds(one) != other.kinds[slot]) {
        return false;
      }
    }
    return true;
  }

  /** Returns the names of the fields, sorted. */
  List<String> names(Names names) {
    List<String> known = sorted;
    if (known == null) {
      String[] all = new String[size];
      int count = 0;
      for (int one : table) {
        if (one != 0) {
          all[count++] = names.get(one - 1);
        }
      }
      Arrays.sort(all);
      known = List.of(all);
      sorted = known;
    }
    return known;
  }

  /** Estimates the heap bytes of this set, without the names. */
  long bytes() {
    List<String> known = sorted;
    return BYTES
        + (Integer.BYTES + 1L) * table.length
        + (known == null ? 0 : (long) Integer.BYTES * known.size());
  }

  private int slot(int name) {
    int mask = table.length - 1;
    int slot = Mix.of(name) & mask;
    while (table[slot] != 0 && table[slot] != name + 1) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private void grow() {
    int[] names = table;
    byte[] kindsOfNames = kinds;
    table = new int[2 * names.length];
    kinds = new byte[table.length];
    for (int i = 0; i < names.length; i++) {
      if (names[i] != 0) {
        int slot = slot(names[i] - 1);
        table[slot] = names[i];
        kinds[slot] = kindsOfNames[i];
      }
    }
  }
}

package dev.varve.engine.catalog;

import dev.varve.model.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of keys and their kinds. Most keys of a dataset share one of a few sets, so a key
 * stores only the number of its set. The lock of the owning index guards all state.
 *
 * <p>A set that only one key has grows in place. A key that gets its fields one by one therefore
 * takes time and memory in proportion to its fields, and leaves no smaller sets behind. A set that
 * several keys share is copied when one of them gets another field.
 */
final class FieldSets {
  /** The number of the empty set. */
  static final int NONE = 0;

  private final Names names;

  /** The sets by number; null for free numbers. */
  private final List<@Nullable FieldSet> sets = new ArrayList<>();

  private final Deque<Integer> free = new ArrayDeque<>();

  /** Set numbers by hash. */
  private final Map<Long, Integer> numbers = new HashMap<>();

  /**
   * @param names the string pool for field names
   */
  FieldSets(Names names) {
    this.names = names;
    sets.add(new FieldSet());
  }

  /** Returns one more than the highest set number. */
  int size() {
    return sets.size();
  }

  /** Estimates the heap bytes of the sets, without the names of the fields. */
  long bytes() {
    long bytes = 0;
    for (FieldSet set : sets) {
      bytes += set == null ? Long.BYTES : set.bytes();
    }
    return bytes;
  }

  /** Returns whether any key has the set. */
  boolean isUsed(int set) {
    return sets.get(set) != null;
  }

  boolean has(int set, String field, Kind kind) {
    return (kinds(set, field) & FieldSet.bit(kind)) != 0;
  }

  /** Returns whether a set contains a field with samples of any of the given kinds. */
  boolean has(int set, String field, Set<Kind> kinds) {
    return (kinds(set, field) & FieldSet.bits(kinds)) != 0;
  }

  /** Returns whether a set contains any field with samples of any of the given kinds. */
  boolean hasAny(int set, Set<Kind> kinds) {
    return get(set).hasAnyOf(FieldSet.bits(kinds));
  }

  private byte kinds(int set, String field) {
    int name = names.find(field);
    return name < 0 ? 0 : get(set).kinds(name);
  }

  /** Returns the names of the fields of a set, sorted. */
  List<String> names(int set) {
    return get(set).names(names);
  }

  /**
   * Moves a key from its set to the one with an additional field or kind.
   *
   * @return the number of the key's new set; the key no longer has {@code set}
   */
  int with(int set, String field, Kind kind) {
    int name = names.add(field);
    byte bit = FieldSet.bit(kind);
    FieldSet before = get(set);
    if ((before.kinds(name) & bit) != 0) {
      return set;
    }
    int same = find(before, name, bit);
    if (same >= 0) {
      release(set);
      get(same).retain();
      return same;
    }
    if (set != NONE && before.users() == 1) {
      numbers.remove(before.hash(), set);
      before.add(name, bit);
      numbers.put(before.hash(), set);
      return set;
    }
    FieldSet after = before.copy();
    after.add(name, bit);
    after.retain();
    release(set);
    return number(after);
  }

  /** Finds the set that equals another one with one more kind of a field; -1 if absent. */
  private int find(FieldSet before, int name, byte bit) {
    Integer number = numbers.get(before.hashWith(name, bit));
    return number != null && get(number).is(before, name, bit) ? number : -1;
  }

  private void release(int set) {
    if (set == NONE) {
      return;
    }
    FieldSet released = get(set);
    released.release();
    if (released.users() == 0) {
      numbers.remove(released.hash(), set);
      sets.set(set, null);
      free.push(set);
    }
  }

  private int number(FieldSet set) {
    int number;
    if (free.isEmpty()) {
      number = sets.size();
      sets.add(set);
    } else {
      number = free.pop();
      sets.set(number, set);
    }
    numbers.put(set.hash(), number);
    return number;
  }

  private FieldSet get(int set) {
    return Objects.requireNonNull(sets.get(set));
  }
}

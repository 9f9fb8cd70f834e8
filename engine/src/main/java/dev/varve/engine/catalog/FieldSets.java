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
 * Which fields keys have, and of which kinds. Most keys of a dataset share one of a few sets, so
 * that a key keeps only the number of its set. Guarded by the index that owns it.
 *
 * <p>A set that only one key has grows in place: a key that gets its fields one by one takes time
 * and memory in proportion to its fields, and leaves no smaller sets behind. A set that several
 * keys have is copied when one of them gets another field.
 */
final class FieldSets {
  /** The number of the set without fields. */
  static final int NONE = 0;

  private final Names names;

  /** By number; null where a number is free. */
  private final List<@Nullable FieldSet> sets = new ArrayList<>();

  private final Deque<Integer> free = new ArrayDeque<>();

  /** The numbers of sets by their hashes. */
  private final Map<Long, Integer> numbers = new HashMap<>();

  /**
   * Sets without any field.
   *
   * @param names the pool that the names of fields stand in
   */
  FieldSets(Names names) {
    this.names = names;
    sets.add(new FieldSet());
  }

  /** One more than the greatest number of a set. */
  int size() {
    return sets.size();
  }

  /** About how many bytes of heap the sets take, without the names of the fields. */
  long bytes() {
    long bytes = 0;
    for (FieldSet set : sets) {
      bytes += set == null ? Long.BYTES : set.bytes();
    }
    return bytes;
  }

  /** Whether any key has the set. */
  boolean isUsed(int set) {
    return sets.get(set) != null;
  }

  boolean has(int set, String field, Kind kind) {
    return (kinds(set, field) & FieldSet.bit(kind)) != 0;
  }

  /** Whether a set has a field with samples of any of some kinds. */
  boolean has(int set, String field, Set<Kind> kinds) {
    return (kinds(set, field) & FieldSet.bits(kinds)) != 0;
  }

  /** Whether a set has any field with samples of any of some kinds. */
  boolean hasAny(int set, Set<Kind> kinds) {
    return get(set).hasAnyOf(FieldSet.bits(kinds));
  }

  private byte kinds(int set, String field) {
    int name = names.find(field);
    return name < 0 ? 0 : get(set).kinds(name);
  }

  /** The names of the fields of a set, sorted. */
  List<String> names(int set) {
    return get(set).names(names);
  }

  /**
   * Moves a key from its set to the one that has one more field or kind.
   *
   * @return the number of the key's set from now on; the key no longer has {@code set}
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

  /** The set that is another one with one more kind of a field; -1 where there is none. */
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

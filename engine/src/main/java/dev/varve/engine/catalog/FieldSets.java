package dev.varve.engine.catalog;

import dev.varve.model.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which fields a key has, and of which kinds. Most keys of a dataset share one of a few sets, so
 * that a key keeps only the number of its set. Guarded by the index that owns it.
 */
final class FieldSets {
  /** The number of the set without fields. */
  static final int NONE = 0;

  /** Field names, sorted, and for each a bit for every kind. Never changed once in here. */
  private final List<Map<String, Integer>> sets = new ArrayList<>();

  private final Map<Map<String, Integer>, Integer> numbers = new HashMap<>();

  FieldSets() {
    number(new TreeMap<>());
  }

  int size() {
    return sets.size();
  }

  boolean has(int set, String field, Kind kind) {
    return (sets.get(set).getOrDefault(field, 0) & bit(kind)) != 0;
  }

  /** The number of the set that has one more field or kind. */
  int with(int set, String field, Kind kind) {
    if (has(set, field, kind)) {
      return set;
    }
    Map<String, Integer> fields = new TreeMap<>(sets.get(set));
    fields.merge(field, bit(kind), (a, b) -> a | b);
    return number(fields);
  }

  /** The names of the fields of a set, sorted. */
  List<String> names(int set) {
    return List.copyOf(sets.get(set).keySet());
  }

  private int number(Map<String, Integer> fields) {
    Integer known = numbers.putIfAbsent(fields, sets.size());
    if (known != null) {
      return known;
    }
    sets.add(fields);
    return sets.size() - 1;
  }

  private static int bit(Kind kind) {
    return switch (kind) {
      case INT64 -> 1;
      case DOUBLE -> 2;
      case STRING -> 4;
    };
  }
}

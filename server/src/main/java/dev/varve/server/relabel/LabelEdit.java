package dev.varve.server.relabel;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A set of labels while rules change it. A label with an empty value is absent.
 *
 * <p>A rule that iterates over all labels sees unchanged labels first, by name, then changed ones
 * in the order of their change. If two are mapped to one name the later one wins, and so the same
 * one wins as in Prometheus.
 */
final class LabelEdit {
  private final SortedMap<String, String> untouched = new TreeMap<>();
  private final Map<String, String> set = new LinkedHashMap<>();

  LabelEdit(Map<String, String> labels) {
    labels.forEach((name, value) -> {
      if (!value.isEmpty()) {
        untouched.put(name, value);
      }
    });
  }

  /** Returns the value of a label; empty if it is absent. */
  String get(String name) {
    String value = set.get(name);
    return value == null ? untouched.getOrDefault(name, "") : value;
  }

  void set(String name, String value) {
    if (value.isEmpty()) {
      remove(name);
    } else {
      untouched.remove(name);
      set.put(name, value);
    }
  }

  void remove(String name) {
    untouched.remove(name);
    set.remove(name);
  }

  /** Returns the current labels in the order of iteration. */
  Map<String, String> copy() {
    Map<String, String> copy = new LinkedHashMap<>(untouched);
    copy.putAll(set);
    return copy;
  }

  SortedMap<String, String> labels() {
    SortedMap<String, String> labels = new TreeMap<>(untouched);
    labels.putAll(set);
    return labels;
  }
}

package dev.varve.server.relabel;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A set of labels while rules change it. An empty value is no label.
 *
 * <p>Where a rule goes over all labels, those that nobody has touched come first, by name, and then
 * those that were set, in that order: where two are mapped to one name the later wins, and so it is
 * the one that wins in Prometheus.
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

  /** The value; empty where there is no such label. */
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

  /** The labels as they are now, in the order in which a rule goes over them. */
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

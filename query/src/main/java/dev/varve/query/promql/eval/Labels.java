package dev.varve.query.promql.eval;

import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.query.promql.plan.Projection;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A set of labels, sorted by name in UTF-16 order. A label with an empty value counts as absent.
 * The metric is the label {@code __name__}.
 */
public final class Labels implements Comparable<Labels> {
  static final String NAME = Series.NAME_LABEL;

  /** Number of characters above which a value counts against the memory of a query. */
  private static final int LONG_VALUE = 256;

  /** Names that need no quotes. */
  private static final Pattern LEGACY = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");

  private static final List<String> ONLY_NAME = List.of(NAME);
  private static final List<String> OF_METRIC = List.of(NAME, "__type__", "__unit__");
  public static final Labels NONE = new Labels(new String[0]);

  /** Alternating names and values. */
  private final String[] pairs;

  private int hash;

  private Labels(String[] pairs) {
    this.pairs = pairs;
  }

  /** Returns the wanted labels of a series. */
  static Labels of(Series series, Projection wanted) {
    boolean plain =
        series.key().resource().isEmpty() && series.field().equals(Series.DEFAULT_FIELD);
    if (!plain) {
      Labels all = of(series);
      return wanted.without() ? all.without(wanted.names()) : all.only(wanted.names());
    }
    Tags tags = series.key().tags();
    String[] pairs = new String[2 * tags.size() + 2];
    int at = 0;
    boolean named = series.metric().isEmpty() || !wanted.wants(NAME);
    for (int i = 0; i < tags.size(); i++) {
      String name = tags.name(i);
      if (!named && name.compareTo(NAME) >= 0) {
        pairs[at++] = NAME;
        pairs[at++] = series.metric();
        named = true;
      }
      boolean isName = name.equals(NAME) && !series.metric().isEmpty();
      if (!isName && !tags.value(i).isEmpty() && wanted.wants(name)) {
        pairs[at++] = name;
        pairs[at++] = tags.value(i);
      }
    }
    if (!named) {
      pairs[at++] = NAME;
      pairs[at++] = series.metric();
    }
    return at == 0 ? NONE : new Labels(at == pairs.length ? pairs : Arrays.copyOf(pairs, at));
  }

  static Labels of(Series series) {
    Map<String, String> sorted = new TreeMap<>(series.labels());
    if (!series.metric().isEmpty()) {
      sorted.put(NAME, series.metric());
    }
    return ofSorted(sorted);
  }

  private static Labels ofSorted(Map<String, String> sorted) {
    String[] pairs = new String[2 * sorted.size()];
    int at = 0;
    for (Map.Entry<String, String> label : sorted.entrySet()) {
      if (!label.getValue().isEmpty()) {
        pairs[at++] = label.getKey();
        pairs[at++] = label.getValue();
      }
    }
    return at == 0 ? NONE : new Labels(at == pairs.length ? pairs : Arrays.copyOf(pairs, at));
  }

  /** Creates labels from a map; empty values are dropped. */
  public static Labels of(Map<String, String> labels) {
    return ofSorted(new TreeMap<>(labels));
  }

  public int size() {
    return pairs.length / 2;
  }

  /** Returns the heap bytes of long values, which a function has computed. */
  long ownBytes() {
    long bytes = 0;
    for (int i = 1; i < pairs.length; i += 2) {
      bytes += pairs[i].length() > LONG_VALUE ? 2L * pairs[i].length() : 0;
    }
    return bytes;
  }

  /** Returns the value of a label; empty if there is none. */
  public String get(String name) {
    int at = find(name);
    return at < 0 ? "" : pairs[at + 1];
  }

  private int find(String name) {
    for (int at = 0; at < pairs.length; at += 2) {
      if (pairs[at].equals(name)) {
        return at;
      }
    }
    return -1;
  }

  /** Passes every name and value to a consumer, in order of names. */
  public void forEach(BiConsumer<String, String> label) {
    for (int at = 0; at < pairs.length; at += 2) {
      label.accept(pairs[at], pairs[at + 1]);
    }
  }

  /** Returns a new map of names and values, in order of names. */
  public Map<String, String> toMap() {
    Map<String, String> map = new TreeMap<>();
    forEach(map::put);
    return map;
  }

  Labels withoutMetric() {
    return without(ONLY_NAME);
  }

  /** Removes the metric name with its type and unit. */
  Labels withoutName() {
    return without(OF_METRIC);
  }

  Labels without(List<String> names) {
    return filtered(names, false);
  }

  Labels only(List<String> names) {
    return filtered(names, true);
  }

  private Labels filtered(List<String> names, boolean keep) {
    String[] kept = new String[pairs.length];
    int size = 0;
    for (int at = 0; at < pairs.length; at += 2) {
      if (names.contains(pairs[at]) == keep) {
        kept[size++] = pairs[at];
        kept[size++] = pairs[at + 1];
      }
    }
    return size == pairs.length ? this : size == 0 ? NONE : new Labels(Arrays.copyOf(kept, size));
  }

  /** Sets the value of a label; an empty value removes it. */
  Labels with(String name, String value) {
    if (get(name).equals(value)) {
      return this;
    }
    Map<String, String> changed = new TreeMap<>();
    forEach(changed::put);
    changed.put(name, value);
    return ofSorted(changed);
  }

  /** The order of Prometheus: label by label, name before value; a prefix precedes a longer set. */
  @Override
  public int compareTo(Labels other) {
    int common = Math.min(pairs.length, other.pairs.length);
    for (int i = 0; i < common; i++) {
      int order = pairs[i].compareTo(other.pairs[i]);
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(pairs.length, other.pairs.length);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Labels labels && Arrays.equals(pairs, labels.pairs);
  }

  @Override
  public int hashCode() {
    int known = hash;
    if (known == 0) {
      known = Arrays.hashCode(pairs);
      hash = known;
    }
    return known;
  }

  /** Formats as Prometheus does: the metric, then the other labels in braces. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(get(NAME));
    boolean first = true;
    for (int at = 0; at < pairs.length; at += 2) {
      if (!pairs[at].equals(NAME)) {
        text.append(first ? "{" : ", ").append(pairs[at]).append('=');
        text.append(quoted(pairs[at + 1]));
        first = false;
      }
    }
    return text.append(first ? (text.isEmpty() ? "{}" : "") : "}").toString();
  }

  /** Formats as Prometheus does in errors: all labels in braces, including the metric. */
  String inBraces() {
    StringJoiner text = new StringJoiner(", ", "{", "}");
    for (int at = 0; at < pairs.length; at += 2) {
      String name = pairs[at];
      text.add(
          (LEGACY.matcher(name).matches() ? name : quoted(name)) + "=" + quoted(pairs[at + 1]));
    }
    return text.toString();
  }

  static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }
}

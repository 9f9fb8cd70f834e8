package dev.varve.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An immutable set of name-value pairs with unique names, ordered by {@link String#compareTo} on
 * the names (UTF-16 code units). It represents both the tags and the resource identifiers of a
 * series. Names and values may be empty; whether a layout can store them is up to the layout's
 * domain.
 */
public final class Tags {
  public static final Tags EMPTY = new Tags(new String[0]);

  /**
   * Name, value, name, value: with a single array, a set of tags costs two objects besides its
   * strings.
   */
  private final String[] pairs;

  private final int hash;

  private Tags(String[] pairs) {
    this.pairs = pairs;
    this.hash = Arrays.hashCode(pairs);
  }

  /** Returns an estimate of the heap that names and values occupy, in bytes. */
  public long byteCount() {
    long bytes = 48;
    for (String text : pairs) {
      bytes += 48 + 2L * text.length();
    }
    return bytes;
  }

  public static Tags of(Map<String, String> map) {
    if (map.isEmpty()) {
      return EMPTY;
    }
    String[] pairs = new String[map.size() * 2];
    int next = 0;
    for (Map.Entry<String, String> entry : new TreeMap<>(map).entrySet()) {
      pairs[next++] = entry.getKey();
      pairs[next++] = entry.getValue();
    }
    return new Tags(pairs);
  }

  /**
   * Creates a set from alternating names and values.
   *
   * @throws IllegalArgumentException if the number of strings is odd or a name is repeated
   */
  public static Tags of(String... namesAndValues) {
    if (namesAndValues.length % 2 != 0) {
      throw new IllegalArgumentException(
          "names and values come in pairs, got " + namesAndValues.length + " strings");
    }
    Map<String, String> map = new TreeMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      if (map.put(namesAndValues[i], namesAndValues[i + 1]) != null) {
        throw new IllegalArgumentException("tag '" + namesAndValues[i] + "' comes twice");
      }
    }
    return of(map);
  }

  public int size() {
    return pairs.length / 2;
  }

  public boolean isEmpty() {
    return pairs.length == 0;
  }

  public String name(int index) {
    return pairs[2 * index];
  }

  public String value(int index) {
    return pairs[2 * index + 1];
  }

  /** Returns the value of a tag, or null if there is no such tag. */
  public @Nullable String get(String name) {
    int low = 0;
    int high = size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = pairs[2 * middle].compareTo(name);
      if (order == 0) {
        return pairs[2 * middle + 1];
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return null;
  }

  public boolean has(String name) {
    return get(name) != null;
  }

  public void forEach(BiConsumer<? super String, ? super String> action) {
    for (int i = 0; i < pairs.length; i += 2) {
      action.accept(pairs[i], pairs[i + 1]);
    }
  }

  public Tags with(String name, String value) {
    Map<String, String> map = toMap();
    map.put(name, value);
    return of(map);
  }

  public Tags without(String name) {
    Map<String, String> map = toMap();
    return map.remove(name) == null ? this : of(map);
  }

  public List<String> names() {
    List<String> names = new ArrayList<>(size());
    for (int i = 0; i < pairs.length; i += 2) {
      names.add(pairs[i]);
    }
    return names;
  }

  /** Returns a new map, ordered by name, that the caller owns. */
  public Map<String, String> toMap() {
    Map<String, String> map = new LinkedHashMap<>();
    forEach(map::put);
    return map;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other == this
        || (other instanceof Tags that && hash == that.hash && Arrays.equals(pairs, that.pairs));
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{");
    forEach((name, value) ->
        text.append(text.length() > 1 ? "," : "")
            .append(name)
            .append("=\"")
            .append(value)
            .append('"'));
    return text.append('}').toString();
  }
}

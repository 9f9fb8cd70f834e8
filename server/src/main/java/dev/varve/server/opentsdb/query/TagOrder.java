package dev.varve.server.opentsdb.query;

import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The order of tags, series and groups. OpenTSDB orders by UIDs, that is, by the time at which it
 * first met a name. Not every layout has UIDs, and answers must not depend on the layout. Here the
 * names decide: those of tags in descending order, values in ascending order without regard to
 * case.
 */
public final class TagOrder {
  /** The order of the names of tags. */
  public static final Comparator<String> NAMES = Comparator.reverseOrder();

  /** The order of values. */
  static final Comparator<String> VALUES =
      String.CASE_INSENSITIVE_ORDER.thenComparing(Comparator.reverseOrder());

  /** The order of sets of tags, which are sorted by name. */
  public static final Comparator<SortedMap<String, String>> TAGS = TagOrder::compareTags;

  /** The order of lists of values. */
  static final Comparator<List<String>> LISTS = TagOrder::compareLists;

  private TagOrder() {}

  /** Returns a set of tags, sorted by name. */
  public static SortedMap<String, String> sorted(Map<String, String> tags) {
    SortedMap<String, String> sorted = new TreeMap<>(NAMES);
    sorted.putAll(tags);
    return sorted;
  }

  private static int compareTags(SortedMap<String, String> a, SortedMap<String, String> b) {
    Iterator<Map.Entry<String, String>> other = b.entrySet().iterator();
    for (Map.Entry<String, String> one : a.entrySet()) {
      if (!other.hasNext()) {
        return 1;
      }
      Map.Entry<String, String> two = other.next();
      int order = NAMES.compare(one.getKey(), two.getKey());
      order = order != 0 ? order : VALUES.compare(one.getValue(), two.getValue());
      if (order != 0) {
        return order;
      }
    }
    return other.hasNext() ? -1 : 0;
  }

  private static int compareLists(List<String> a, List<String> b) {
    for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
      int order = VALUES.compare(a.get(i), b.get(i));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(a.size(), b.size());
  }
}

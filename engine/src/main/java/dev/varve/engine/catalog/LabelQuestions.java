package dev.varve.engine.catalog;

import dev.varve.engine.catalog.Postings.Label;
import dev.varve.engine.request.Cardinality;
import dev.varve.engine.request.ReadGuard;
import dev.varve.model.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/** Lists names and values of labels, and counts them. Takes the lock of the index for each part. */
final class LabelQuestions {
  /** Heap bytes of a listed string in addition to its characters. */
  private static final long STRING_BYTES = 48;

  /** Heap bytes of a name in a sorted set. The set shares the string with the index. */
  private static final int BYTES_PER_NAME = 64;

  private final SeriesIndex index;
  private final Names names;
  private final Pairs pairs;
  private final Postings postings;

  LabelQuestions(SeriesIndex index, Names names, Pairs pairs, Postings postings) {
    this.index = index;
    this.names = names;
    this.pairs = pairs;
    this.postings = postings;
  }

  /** Returns the names of the tags and resource identifiers of keys, sorted. */
  List<String> names(Matches matches, ReadGuard guard) {
    return index.reading(() -> {
      List<String> found = new ArrayList<>();
      postings
          .labels()
          .forEach((name, label) -> {
            guard.ensureWanted();
            if (!name.equals(Series.NAME_LABEL)
                && RoaringBitmap.intersects(label.carriers(), matches.series())) {
              found.add(name);
            }
          });
      found.sort(null);
      return found;
    });
  }

  /**
   * Returns the values of a label among keys, sorted.
   *
   * @param most maximum number returned; if there are more, the first ones found are returned
   */
  List<String> values(String name, Matches matches, int most, ReadGuard guard) {
    if (name.equals(Series.FIELD_LABEL)) {
      return fieldNames(matches, most);
    }
    return index.reading(() -> {
      List<String> found = new ArrayList<>();
      Label label = postings.labels().get(name);
      if (label != null) {
        for (int i = 0; i < label.pairs().size() && found.size() < most; i++) {
          guard.ensureWanted();
          if (pairs.anyOf(matches.series(), label.pairs().get(i))) {
            String value = names.get(pairs.value(label.pairs().get(i)));
            guard.held(STRING_BYTES + 2L * value.length(), "values of a label");
            found.add(value);
          }
        }
      }
      found.sort(null);
      return found;
    });
  }

  private List<String> fieldNames(Matches matches, int most) {
    TreeSet<String> found = new TreeSet<>();
    matches.stream()
        .flatMap(match -> match.fields().stream())
        .filter(field -> !field.equals(Series.DEFAULT_FIELD))
        .distinct()
        .limit(most)
        .forEach(found::add);
    return List.copyOf(found);
  }

  /**
   * Returns the first values, in sorted order, that begin with a prefix. The lock is held for one
   * label at a time, so writers of new series wait no longer than that.
   *
   * @param name null for the values of all labels except the metric
   * @param most maximum number returned, at least 1
   */
  List<String> first(@Nullable String name, String prefix, int most, ReadGuard guard) {
    List<String> of =
        name == null ? index.reading(() -> List.copyOf(postings.labels().keySet())) : List.of(name);
    TreeSet<String> first = new TreeSet<>();
    for (String label : of) {
      if (name != null || !label.equals(Series.NAME_LABEL)) {
        index.reading(() -> {
          addFirst(postings.labels().get(label), prefix, most, guard, first);
          return first;
        });
      }
    }
    return List.copyOf(first);
  }

  private void addFirst(
      @Nullable Label label, String prefix, int most, ReadGuard guard, NavigableSet<String> first) {
    for (int i = 0; label != null && i < label.pairs().size(); i++) {
      guard.ensureWanted();
      int pair = label.pairs().get(i);
      String value = names.get(pairs.value(pair));
      boolean isWanted =
          value.startsWith(prefix)
              && (first.size() < most || value.compareTo(first.last()) < 0)
              && pairs.count(pair) > 0;
      if (isWanted && first.add(value)) {
        if (first.size() > most) {
          first.pollLast();
        } else {
          guard.held(BYTES_PER_NAME, "names of a catalog query");
        }
      }
    }
  }

  /**
   * Counts series, and finds the names with the largest counts. Writers of new series wait for at
   * most one label at a time.
   *
   * @param some the keys that count; null for all
   * @param most maximum number of names in each list
   */
  Cardinality cardinality(@Nullable RoaringBitmap some, int most, ReadGuard guard) {
    Top metrics = new Top(most);
    Top values = new Top(most);
    Top bytes = new Top(most);
    Top carriers = new Top(most);
    long pairCount = 0;
    for (String name : index.reading(() -> List.copyOf(postings.labels().keySet()))) {
      long[] sizes =
          index.reading(() -> {
            Label label = postings.labels().get(name);
            return label == null
                ? new long[2]
                : countPairs(name, label, some, metrics, carriers, guard);
          });
      pairCount += sizes[0];
      if (sizes[0] > 0) {
        values.add(name, sizes[0]);
        bytes.add(name, sizes[1]);
      }
    }
    return new Cardinality(
        some == null ? index.size() : some.getCardinality(),
        pairCount,
        some == null ? index.extent() : index.extent(some.toArray()),
        metrics.sorted(),
        values.sorted(),
        bytes.sorted(),
        carriers.sorted());
  }

  /** Returns the number of values of a label and their total size in UTF-8 bytes. */
  private long[] countPairs(
      String name,
      Label label,
      @Nullable RoaringBitmap some,
      Top metrics,
      Top carriers,
      ReadGuard guard) {
    long bytes = 0;
    long counted = 0;
    for (int i = 0; i < label.pairs().size(); i++) {
      guard.ensureWanted();
      int pair = label.pairs().get(i);
      long count = some == null ? pairs.count(pair) : pairs.count(pair, some);
      if (count == 0) {
        continue;
      }
      String value = names.get(pairs.value(pair));
      counted++;
      bytes += utf8Size(value);
      if (carriers.wants(count)) {
        carriers.add(name + "=" + value, count);
      }
      if (name.equals(Series.NAME_LABEL)) {
        metrics.add(value, count);
      }
    }
    return new long[] {counted, bytes};
  }

  private static long utf8Size(String text) {
    long size = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      size += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
    }
    return size;
  }
}

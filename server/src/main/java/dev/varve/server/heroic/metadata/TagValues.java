package dev.varve.server.heroic.metadata;

import dev.varve.query.running.QueryUse;
import dev.varve.server.heroic.series.HeroicSeries;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

/** The tags of series with all their values, sorted. */
final class TagValues {
  private static final int VALUE_BYTES = 120;

  private TagValues() {}

  /**
   * Collects tags, and closes the stream.
   *
   * @param wanted whether a tag with a value is collected
   */
  static Map<String, SortedSet<String>> of(
      Stream<HeroicSeries> series, BiPredicate<String, String> wanted, QueryUse use) {
    Map<String, SortedSet<String>> values = new TreeMap<>();
    try (series) {
      series.forEach(one ->
          one.tags()
              .forEach((name, value) -> {
                if (wanted.test(name, value)
                    && values.computeIfAbsent(name, n -> new TreeSet<>()).add(value)) {
                  use.held(VALUE_BYTES, "values of tags");
                }
              }));
    }
    return values;
  }
}

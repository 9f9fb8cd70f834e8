package dev.varve.server.opentsdb.query;

import dev.varve.engine.Dataset;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.query.running.QueryUse;
import dev.varve.server.CatalogQuestion;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Finds names by UIDs, and series by TSUIDs, in the catalog. */
public final class TsuidSearch {
  private TsuidSearch() {}

  /**
   * Returns the series with TSUIDs, each once.
   *
   * @throws OpenTsdbError 400 if a TSUID is unknown, 500 if it is none
   */
  static Set<Series> all(List<String> tsuids, Dataset dataset, QueryUse use) {
    Set<Series> found = new LinkedHashSet<>();
    tsuids.forEach(tsuid -> found.add(series(tsuid, dataset, use)));
    return found;
  }

  /**
   * Returns the series with a TSUID.
   *
   * @throws OpenTsdbError 400 if it is unknown, 500 if it is none
   */
  public static Series series(String text, Dataset dataset, QueryUse use) {
    String tsuid = text.strip().toUpperCase(Locale.ROOT);
    if (tsuid.length() < Tsuid.DIGITS) {
      // What Java says in OpenTSDB when it cuts a UID of three bytes off.
      throw new OpenTsdbError(500, "begin 0, end %d, length %d".formatted(6, tsuid.length()));
    }
    String uid = tsuid.substring(0, Tsuid.DIGITS);
    String metric =
        name(Tsuid.Kind.METRIC, uid, dataset, use)
            .orElseThrow(
                () -> OpenTsdbError.amid("No such unique ID for 'metrics': %s".formatted(uid)));
    try (Stream<Series> found = ofMetric(metric, dataset, use)) {
      return found
          .filter(series -> Tsuid.of(metric, series.labels()).equals(tsuid))
          .findFirst()
          .orElseThrow(() -> OpenTsdbError.amid("No series has the TSUID " + tsuid));
    }
  }

  private static Stream<Series> ofMetric(String metric, Dataset dataset, QueryUse use) {
    return new CatalogQuestion(use)
        .series(dataset, List.of(Selector.metric(metric)), null, Kind.ALL, 0);
  }

  /** Returns the name with a UID, if there is one. */
  public static Optional<String> name(Tsuid.Kind kind, String uid, Dataset dataset, QueryUse use) {
    String wanted = uid.toUpperCase(Locale.ROOT);
    return names(kind, dataset, use).filter(name -> Tsuid.uid(kind, name).equals(wanted)).findAny();
  }

  private static Stream<String> names(Tsuid.Kind kind, Dataset dataset, QueryUse use) {
    Selector all = new Selector(List.of());
    return switch (kind) {
      case METRIC -> dataset.catalog().metrics("", use);
      case TAGK -> dataset.catalog().labelNames(all, null, use).stream();
      case TAGV ->
          dataset.catalog().labelNames(all, null, use).stream()
              .filter(name -> !name.equals(Series.NAME_LABEL))
              .flatMap(name ->
                  dataset.catalog().labelValues(name, all, null, Integer.MAX_VALUE, use).stream());
    };
  }
}

package dev.varve.server.heroic.metadata;

import dev.varve.engine.Dataset;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.CatalogQuestion;
import dev.varve.server.heroic.filter.Alternatives;
import dev.varve.server.heroic.filter.Filter;
import dev.varve.server.heroic.series.HeroicSeries;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Finds the series that match a filter, from the catalog. */
public final class MatchingSeries {
  private final Dataset dataset;
  private final QueryUse use;

  public MatchingSeries(Dataset dataset, QueryUse use) {
    this.dataset = dataset;
    this.use = use;
  }

  /**
   * Returns the series that match, in no particular order. The stream must be closed.
   *
   * @param times leaves out series without samples in this range
   * @param kinds leaves out series without samples of these kinds
   */
  public Stream<HeroicSeries> of(Filter filter, TimeRange times, Set<Kind> kinds) {
    List<Selector> selectors =
        Alternatives.of(filter).stream().map(Alternatives.Alternative::selector).toList();
    if (selectors.isEmpty()) {
      return Stream.empty();
    }
    Predicate<HeroicSeries> test = filter.test();
    return new CatalogQuestion(use)
        .series(dataset, selectors, times, kinds, 0)
        .peek(series -> use.ensureWanted())
        .map(HeroicSeries::of)
        .filter(test);
  }
}

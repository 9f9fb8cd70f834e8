package dev.varve.server.dialect;

import dev.varve.engine.Dataset;
import dev.varve.engine.SeriesFound;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.request.ReadGuard;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.query.running.QueryUse;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A request for series rather than samples. The limits of queries apply, unless the request sets a
 * limit of its own.
 */
public final class CatalogQuestion {
  private final QueryUse use;

  /**
   * Passes everything on to the use, except the number of matches: the bound on that depends on how
   * many series the caller wants.
   */
  private final ReadGuard unbounded =
      new ReadGuard() {
        @Override
        public void ensureWanted() {
          use.ensureWanted();
        }

        @Override
        public void held(long bytes, String what) {
          use.held(bytes, what);
        }

        @Override
        public boolean tryHold(long bytes) {
          return use.tryHold(bytes);
        }

        @Override
        public void released(long bytes) {
          use.released(bytes);
        }

        @Override
        public void matched(long keys) {}

        @Override
        public void begun(Runnable cancel) {
          use.begun(cancel);
        }

        @Override
        public void ended(Runnable cancel) {
          use.ended(cancel);
        }
      };

  /** Creates a question whose cost counts towards a use. */
  public CatalogQuestion(QueryUse use) {
    this.use = use;
  }

  /**
   * Returns the series that match any of the selectors, in no particular order.
   *
   * @param times leaves out series without samples in this range; null for all of time
   * @param kinds leaves out series that have no samples of any of these kinds
   * @param limit maximum number of series returned; 0 for all
   * @throws QueryRefusedException if all series are requested and too many match
   */
  public Stream<Series> series(
      Dataset dataset,
      List<Selector> selectors,
      @Nullable TimeRange times,
      Set<Kind> kinds,
      long limit) {
    SeriesFound found = dataset.catalog().find(selectors, times, kinds, unbounded);
    if (limit == 0 || limit > use.limits().series()) {
      use.listed(found.keysAtMost());
    }
    return limit == 0 ? found.stream() : found.stream().limit(limit);
  }
}

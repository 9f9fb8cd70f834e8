package dev.varve.server;

import dev.varve.engine.Dataset;
import dev.varve.engine.QueryRefusedException;
import dev.varve.engine.ReadGuard;
import dev.varve.engine.SeriesFound;
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
 * A request that asks for no samples but for what there is of series: bounded as a query is, unless
 * it bounds itself.
 */
public final class CatalogQuestion {
  private final QueryUse use;

  /** Looks on without a bound: how many may match depends on how many are wanted. */
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

  /** A question as part of what a use counts. */
  public CatalogQuestion(QueryUse use) {
    this.use = use;
  }

  /**
   * The series that match any of some selectors, in no order.
   *
   * @param kinds leaves out series of which no sample is of any of these
   * @param limit how many at most; 0 for all
   * @throws QueryRefusedException if all are wanted and they are too many
   */
  public Stream<Series> series(
      Dataset dataset,
      List<Selector> selectors,
      @Nullable TimeRange times,
      Set<Kind> kinds,
      long limit) {
    SeriesFound found = dataset.find(selectors, times, kinds, unbounded);
    if (limit == 0 || limit > use.limits().series()) {
      use.listed(found.keysAtMost());
    }
    return limit == 0 ? found.stream() : found.stream().limit(limit);
  }
}

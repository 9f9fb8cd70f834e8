package dev.varve.server;

import dev.varve.engine.Dataset;
import dev.varve.engine.QueryRefusedException;
import dev.varve.engine.ReadGuard;
import dev.varve.engine.SeriesFound;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.query.promql.eval.PromLimits;
import dev.varve.server.http.Exchange;
import dev.varve.store.ReadCancelledException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A request that asks for no samples but for what there is of series and labels: bounded, and given
 * up when its client goes away.
 */
public final class CatalogQuestion implements ReadGuard {
  private final long most = PromLimits.DEFAULTS.series();
  private volatile boolean cancelled;

  public CatalogQuestion(Exchange exchange) {
    exchange.onAbort(() -> cancelled = true);
  }

  /**
   * Throws where nobody waits for the answer any more.
   *
   * @throws ReadCancelledException if so
   */
  @Override
  public void ensureWanted() {
    if (cancelled) {
      throw new ReadCancelledException();
    }
  }

  @Override
  public void matched(long keys) {}

  @Override
  public void begun(Runnable cancel) {}

  @Override
  public void ended(Runnable cancel) {}

  /**
   * The series that match any of some selectors, in no order.
   *
   * @param limit how many at most; 0 for all
   * @throws QueryRefusedException if all are wanted and they are too many
   */
  public Stream<Series> series(
      Dataset dataset, List<Selector> selectors, @Nullable TimeRange times, long limit) {
    SeriesFound found = dataset.find(selectors, times, this);
    if ((limit == 0 || limit > most) && found.keysAtMost() > most) {
      throw new QueryRefusedException(
          "%,d series match, more than the %,d that may be listed; name more labels, or take fewer with a limit"
              .formatted(found.keysAtMost(), most));
    }
    Stream<Series> all = found.stream().peek(series -> ensureWanted());
    return limit == 0 ? all : all.limit(limit);
  }
}

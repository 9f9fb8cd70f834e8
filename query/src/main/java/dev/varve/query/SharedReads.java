package dev.varve.query;

import dev.varve.query.QueryPlan.Merge;
import dev.varve.query.limit.Memory;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads shared by several plans of one query. The first plan gathers the samples. They are kept for
 * the other plans while all kept samples fit in a quarter of the query's memory and until the query
 * needs the memory; otherwise they are read again. Plans must run one at a time. Methods are
 * synchronized, because the readers of a running plan call {@link #release} from their own threads
 * when memory is short.
 */
final class SharedReads {
  /** Divisor of the query's memory: shared samples may take at most this fraction. */
  private static final int SHARE = 4;

  /** Number of plans that have yet to run each read, regardless of their grouping. */
  private final Map<Merge, Integer> plansLeft = new HashMap<>();

  private final Map<Merge, Gathering> kept = new HashMap<>();

  /** Bytes held by {@link #kept}. */
  private long held;

  /** Creates the shared reads of plans that will run once each, in any order. */
  SharedReads(Collection<QueryPlan> plans) {
    for (QueryPlan plan : plans) {
      Merge merge = QueryPlan.mergeOf(plan);
      if (merge != null) {
        plansLeft.merge(ungrouped(merge), 1, Integer::sum);
      }
    }
  }

  /**
   * Returns the samples already gathered for a merge; null if they must be read. Each plan calls
   * this once and calls {@link #done} with the samples afterwards.
   */
  synchronized @Nullable Gathering gathered(Merge merge) {
    Merge read = ungrouped(merge);
    plansLeft.merge(read, -1, Integer::sum);
    Gathering gathering = kept.remove(read);
    held -= gathering == null ? 0 : gathering.held();
    return gathering;
  }

  /**
   * Takes back samples that a plan has finished with: keeps them for later plans, or releases them.
   */
  synchronized void done(Merge merge, Gathering gathering, Memory memory) {
    Merge read = ungrouped(merge);
    if (plansLeft.getOrDefault(read, 0) > 0 && held + gathering.held() <= memory.max() / SHARE) {
      kept.put(read, gathering);
      held += gathering.held();
      memory.whenShort(this::release);
    } else {
      gathering.release();
    }
  }

  /** Releases everything that no plan is using. Called on the thread that ran out of memory. */
  private synchronized void release() {
    kept.values().forEach(Gathering::release);
    kept.clear();
    held = 0;
  }

  private static Merge ungrouped(Merge merge) {
    return new Merge(merge.input(), List.of(), merge.descending(), merge.perSeries());
  }
}

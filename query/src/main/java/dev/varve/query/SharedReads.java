package dev.varve.query;

import dev.varve.query.QueryPlan.Merge;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What several plans of one query read alike: gathered by the first of them and held for the others
 * where all of these take no more than a quarter of what the query may hold, and only until the
 * query needs the room; else it is read again. For one plan at a time.
 */
final class SharedReads {
  private static final int SHARE = 4;

  /** How many of the plans are still to read what a merge reads, whatever it groups by. */
  private final Map<Merge, Integer> left = new HashMap<>();

  private final Map<Merge, Gathering> kept = new HashMap<>();

  /** Bytes that these hold. */
  private long held;

  /** Those of plans that will be run once each, in any order. */
  SharedReads(Collection<QueryPlan> plans) {
    for (QueryPlan plan : plans) {
      Merge merge = QueryPlan.mergeOf(plan);
      if (merge != null) {
        left.merge(ungrouped(merge), 1, Integer::sum);
      }
    }
  }

  /**
   * Hands out what was gathered for a merge already; null where it has to be read. Asked once by
   * each plan, which gives it back when it is {@link #done}.
   */
  synchronized @Nullable Gathering gathered(Merge merge) {
    Merge read = ungrouped(merge);
    left.merge(read, -1, Integer::sum);
    Gathering gathering = kept.remove(read);
    held -= gathering == null ? 0 : gathering.held();
    return gathering;
  }

  /** Takes what a plan has done with: holds it for those to come, or releases it. */
  synchronized void done(Merge merge, Gathering gathering, Memory memory) {
    Merge read = ungrouped(merge);
    if (left.getOrDefault(read, 0) > 0 && held + gathering.held() <= memory.max() / SHARE) {
      kept.put(read, gathering);
      held += gathering.held();
      memory.whenShort(this::release);
    } else {
      gathering.release();
    }
  }

  /** Releases what no plan uses now, on whichever thread has found no room. */
  private synchronized void release() {
    kept.values().forEach(Gathering::release);
    kept.clear();
    held = 0;
  }

  private static Merge ungrouped(Merge merge) {
    return new Merge(merge.input(), List.of(), merge.descending(), merge.perSeries());
  }
}

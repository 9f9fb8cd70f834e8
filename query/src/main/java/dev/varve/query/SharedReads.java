package dev.varve.query;

import dev.varve.query.QueryPlan.Merge;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What several plans of one query read alike: gathered by the first of them and held for the others
 * where it takes no more than a quarter of what the query may hold, else read again. For one
 * thread.
 */
final class SharedReads {
  private static final int SHARE = 4;

  /** How many of the plans are still to read what a merge reads, whatever it groups by. */
  private final Map<Merge, Integer> left = new HashMap<>();

  private final Map<Merge, Gathering> kept = new HashMap<>();

  /** Those of plans that will be run once each, in any order. */
  SharedReads(Collection<QueryPlan> plans) {
    for (QueryPlan plan : plans) {
      Merge merge = QueryPlan.mergeOf(plan);
      if (merge != null) {
        left.merge(ungrouped(merge), 1, Integer::sum);
      }
    }
  }

  /** What was gathered for a merge already; null where it has to be read. Asked once by each. */
  @Nullable Gathering gathered(Merge merge) {
    Merge read = ungrouped(merge);
    left.merge(read, -1, Integer::sum);
    return kept.get(read);
  }

  /** Takes what a plan has done with: holds it for those to come, or releases it. */
  void done(Merge merge, Gathering gathering, Memory memory) {
    Merge read = ungrouped(merge);
    boolean wanted = left.getOrDefault(read, 0) > 0;
    if (wanted && gathering.held() <= memory.max() / SHARE) {
      kept.put(read, gathering);
    } else {
      kept.remove(read);
      gathering.release();
    }
  }

  private static Merge ungrouped(Merge merge) {
    return new Merge(merge.input(), List.of(), merge.descending(), merge.perSeries());
  }
}

package dev.varve.engine.advice;

import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.engine.usage.LoggedQuery;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.store.Budget;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The queries by which layouts are weighed: the most frequent kinds of the query log, each with its
 * last example.
 *
 * @param queries those with most weight first; their shares add up to 1
 * @param covered share of all logged queries that these are, 0 to 1
 * @param seen number of logged queries
 */
record Workload(List<Query> queries, double covered, long seen) {
  /** Maximum number of kinds. More kinds would take long to plan, and count for little. */
  private static final int QUERIES_MAX = 24;

  /**
   * Maximum number of series of one query. More series would take long to plan; the first ones
   * represent all.
   */
  private static final int SERIES_MAX = 2_000;

  /**
   * Estimated heap bytes of a key with its place in a list and its binding to one layout at a time.
   */
  private static final long SERIES_BYTES = 400;

  Workload {
    queries = List.copyOf(queries);
  }

  /** A kind of query with the series of its example. */
  record Query(LoggedQuery logged, ReadRequest request, List<Match> matches, double share) {
    Query {
      matches = List.copyOf(matches);
    }
  }

  static Workload of(OpenDataset dataset, List<LoggedQuery> log, ReadGuard guard) {
    List<LoggedQuery> known =
        log.stream().filter(one -> !one.example().filters().isEmpty()).limit(QUERIES_MAX).toList();
    long seen = log.stream().mapToLong(one -> one.costs().count()).sum();
    List<Query> queries = new ArrayList<>();
    for (LoggedQuery one : known) {
      guard.ensureWanted();
      ReadRequest request = request(one);
      TimeRange kept =
          request.times().intersect(new TimeRange(dataset.oldestKept(), Long.MAX_VALUE));
      List<Match> matches =
          dataset
              .index()
              .match(one.example(), dataset.trustsExtents() ? kept : null, guard)
              .stream()
              .limit(SERIES_MAX)
              .toList();
      guard.held(SERIES_BYTES * matches.size(), "series of an advice");
      if (!matches.isEmpty()) {
        queries.add(new Query(one, request, matches, (double) one.costs().count()));
      }
    }
    double all = queries.stream().mapToDouble(Query::share).sum();
    return new Workload(
        queries.stream()
            .map(one -> new Query(one.logged, one.request, one.matches, one.share / all))
            .toList(),
        seen == 0 ? 0 : all / seen,
        seen);
  }

  private static ReadRequest request(LoggedQuery query) {
    return new ReadRequest(
        query.example(),
        query.times(),
        null,
        Versions.LATEST,
        Kinds.ONE,
        Order.TIME_WITHIN_SERIES,
        query.shape().newest(),
        query.example().metric() == null,
        Budget.UNLIMITED);
  }

  /** Returns the labels that queries bind to values, those of most queries first. */
  List<String> boundLabels(int most) {
    Map<String, Double> weights = new HashMap<>();
    for (Query query : queries) {
      for (TagFilter filter : query.request.selector().filters()) {
        boolean binds = filter instanceof TagFilter.Equal || filter instanceof TagFilter.In;
        if (binds && !filter.name().startsWith("__")) {
          weights.merge(filter.name(), query.share, Double::sum);
        }
      }
    }
    return weights.entrySet().stream()
        .sorted(
            Map.Entry.<String, Double>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey(Comparator.naturalOrder())))
        .limit(most)
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Returns the share of queries that read only the newest samples. */
  double newest() {
    return queries.stream()
        .filter(query -> query.request.newestFirst() > 0)
        .mapToDouble(Query::share)
        .sum();
  }

  /** Returns the maximum time by which a query reached back, in milliseconds. */
  long reachMillis() {
    return queries.stream().mapToLong(query -> query.logged.reachMillis()).max().orElse(0);
  }
}

package dev.varve.server.opentsdb.expression;

import dev.varve.query.running.QueryUse;
import dev.varve.server.opentsdb.query.Group;
import dev.varve.server.opentsdb.query.Points;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The series of a variable of a formula.
 *
 * @param series in order
 * @param fill replaces a value where a series has no point or NaN
 * @param queryTags names of the tags that the variable's query filters
 */
record Variables(List<Column> series, double fill, Set<String> queryTags) {
  /**
   * A series.
   *
   * @param metrics the metrics from which it was computed
   */
  record Column(
      SortedSet<String> metrics,
      SortedMap<String, String> tags,
      SortedSet<String> aggregateTags,
      Points points) {
    static Column of(Group group, QueryUse use) {
      return new Column(
          new TreeSet<>(Set.of(group.metric())),
          group.tags(),
          group.aggregateTags(),
          group.collect(use));
    }
  }

  /** Walks over the points of a series, in order of time. */
  static final class Walk {
    private final Points points;
    private int at;

    Walk(Points points) {
      this.points = points;
    }

    /** Returns the time of the next point; {@link Long#MAX_VALUE} at the end. */
    long next() {
      return at < points.size() ? points.time(at) : Long.MAX_VALUE;
    }

    /** Takes the point at a time; another value if there is none. */
    double take(long time, double other) {
      return next() == time ? points.number(at++) : other;
    }
  }
}

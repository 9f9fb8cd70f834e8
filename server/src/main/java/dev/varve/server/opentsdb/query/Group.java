package dev.varve.server.opentsdb.query;

import dev.varve.query.running.QueryUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * One of the series of a result: the aggregate of the series of a group.
 *
 * @param metric the name of the metric
 * @param name name of the result: the metric, or a name derived from it
 * @param tags the tags whose values no series contradicts
 * @param aggregateTags the names of tags with several values
 * @param series the tags of the series
 * @param part index of the sub query
 * @param table the source: {@code raw}, or the interval of roll-ups
 * @param computed whether it is the result of several queries
 * @param points passes on the points of the scanned range; may be called several times
 */
public record Group(
    String metric,
    String name,
    SortedMap<String, String> tags,
    SortedSet<String> aggregateTags,
    List<SortedMap<String, String>> series,
    int part,
    String table,
    boolean computed,
    Consumer<PointSink> points) {

  /**
   * A series that was read.
   *
   * @param tags sorted by {@link TagOrder#NAMES}
   */
  record Member(String metric, SortedMap<String, String> tags, Points points) {}

  /** Aggregates the members, which are in order. */
  static Group of(List<Member> members, Source source, QueryUse use) {
    TsQuery.Part part = source.part();
    SortedMap<String, String> tags = new TreeMap<>(TagOrder.NAMES);
    SortedSet<String> several = new TreeSet<>(TagOrder.NAMES);
    List<SortedMap<String, String>> series = new ArrayList<>();
    List<Points> points = new ArrayList<>();
    for (Member member : members) {
      series.add(member.tags());
      points.add(member.points());
      for (Map.Entry<String, String> tag : member.tags().entrySet()) {
        String other = tags.putIfAbsent(tag.getKey(), tag.getValue());
        if (other != null && !other.equals(tag.getValue())) {
          several.add(tag.getKey());
        }
      }
    }
    tags.keySet().removeAll(several);
    String metric = members.getFirst().metric();
    return new Group(
        metric,
        metric,
        tags,
        several,
        series,
        part.index(),
        source.table(),
        false,
        sink -> new GroupMerge(points, part.aggregator(), part.sub().rate(), use).into(sink));
  }

  /** Returns whether points were read, and no roll-ups. */
  public boolean ofPoints() {
    return table.equals(Source.POINTS);
  }

  /** Returns the same series with other points. */
  public Group with(Consumer<PointSink> other) {
    return new Group(metric, name, tags, aggregateTags, series, part, table, computed, other);
  }

  /** Returns the same series under a longer name. */
  Group named(String ending) {
    return new Group(
        metric, metric + ending, tags, aggregateTags, series, part, table, computed, points);
  }

  /** Returns the same series under another name and without tags. */
  public Group renamed(String other) {
    SortedMap<String, String> none = new TreeMap<>(TagOrder.NAMES);
    return new Group(
        metric, other, none, new TreeSet<>(TagOrder.NAMES), series, part, table, computed, points);
  }

  /** Returns the result of several queries that has the name of this one. */
  public Group computed(
      SortedMap<String, String> shown, SortedSet<String> aggregated, Consumer<PointSink> result) {
    return new Group(metric, name, shown, aggregated, List.of(), 0, table, true, result);
  }

  /** Returns the TSUIDs of the series, sorted. */
  public List<String> tsuids(UidNames uids) {
    return series.stream().map(tags -> uids.tsuid(metric, tags)).sorted().toList();
  }

  /** Returns the points of the scanned range as columns. */
  public Points collect(QueryUse use) {
    Points columns = new Points(use.memory());
    points.accept(columns);
    return columns;
  }
}

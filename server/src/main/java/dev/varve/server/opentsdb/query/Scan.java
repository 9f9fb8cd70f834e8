package dev.varve.server.opentsdb.query;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.query.Analysis;
import dev.varve.query.running.QueryUse;
import dev.varve.server.opentsdb.query.Group.Member;
import dev.varve.store.Budget;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the series of one sub query, and groups them. */
public final class Scan {
  /** Memory of a series with its columns, without its points and tags, in bytes. */
  private static final long SERIES_BYTES = 400;

  /** Memory of a tag in a sorted map, in bytes; its texts are shared with the catalog. */
  private static final long TAG_BYTES = 64;

  /**
   * Maximum number of values of a filter that must all be known. As in OpenTSDB, a longer filter
   * may name unknown values.
   */
  private static final int LITERALS_CHECKED = 4096;

  private final Source source;
  private final Dataset dataset;
  private final QueryUse use;
  private final TsQuery.Checked query;
  private final TsQuery.Part part;
  private final ScanRange range;

  /** Receives figures; null if the query is not analysed. */
  private final @Nullable Analysis<Operation, ReadRequest> analysis;

  Scan(
      Source source,
      TsQuery.Checked query,
      QueryUse use,
      @Nullable Analysis<Operation, ReadRequest> analysis) {
    this.analysis = analysis;
    this.source = source;
    this.dataset = source.dataset();
    this.use = use;
    this.query = query;
    this.part = source.part();
    this.range = source.range(query.start(), query.end());
  }

  /**
   * Returns the results of a sub query, in order.
   *
   * @throws OpenTsdbError 400 if it has a name that the dataset does not know
   */
  public static List<Group> groups(
      Sources sources, TsQuery.Checked query, TsQuery.Part part, QueryUse use) {
    List<Group> groups = List.of();
    for (Source source : sources.of(part)) {
      groups = new Scan(source, query, use, null).groups();
      if (!groups.isEmpty()) {
        break;
      }
    }
    return groups;
  }

  /** Returns the results, in order. */
  List<Group> groups() {
    List<Member> members = new ArrayList<>();
    for (Selection selection : selections()) {
      read(selection, members);
    }
    members.sort(Comparator.comparing(Member::metric).thenComparing(Member::tags, TagOrder.TAGS));
    return grouped(members);
  }

  /**
   * Deletes the points of a sub query within the requested times, of all series that it selects.
   *
   * @throws OpenTsdbError 400 if it has a name that the dataset does not know, or selects series by
   *     more than conditions of single tags
   */
  public static void delete(
      Dataset dataset, TsQuery.Checked query, TsQuery.Part part, QueryUse use) {
    Scan scan = new Scan(Source.of(dataset, part), query, use, null);
    Resolution resolution = dataset.resolution();
    long to = query.end() == Long.MAX_VALUE ? query.end() : query.end() + 1;
    TimeRange times =
        new TimeRange(
            ScanRange.converted(query.start(), resolution), ScanRange.converted(to, resolution));
    for (Selection selection : scan.selections()) {
      if (selection.exactly() != null) {
        throw OpenTsdbError.amid(
            "a delete takes series by their tags, neither by explicitTags nor by tsuids");
      }
      dataset.deletes().begin(selection.selector(), times);
    }
  }

  /**
   * Series to read.
   *
   * @param exactly the tags that a series must have; null if others are allowed
   * @param values whether the values of these tags must be equal too, not only their names
   */
  record Selection(Selector selector, @Nullable Map<String, String> exactly, boolean values) {
    boolean takes(Map<String, String> labels) {
      Map<String, String> tags = exactly;
      return tags == null || (values ? labels.equals(tags) : labels.keySet().equals(tags.keySet()));
    }
  }

  /** Returns what to read. */
  List<Selection> selections() {
    SubQuery sub = part.sub();
    List<String> tsuids = sub.tsuids();
    if (tsuids != null && !tsuids.isEmpty()) {
      List<Selection> selections = new ArrayList<>();
      for (Series series : UidNames.of(source, use).all(tsuids)) {
        Map<String, String> tags = source.tags(series);
        List<TagFilter> filters = new ArrayList<>();
        tags.forEach((name, value) -> filters.add(new TagFilter.Equal(name, value)));
        Selector selector = Selector.metric(series.metric(), filters.toArray(TagFilter[]::new));
        selections.add(new Selection(selector, tags, true));
      }
      return selections;
    }
    return List.of(new Selection(ofMetric(sub), explicitTags(sub), false));
  }

  private Selector ofMetric(SubQuery sub) {
    String metric = String.valueOf(sub.metric());
    require(Tsuid.Kind.METRIC, metric);
    List<TagFilter> filters = new ArrayList<>();
    filters.add(new TagFilter.Equal(Series.NAME_LABEL, metric));
    for (ValueFilter filter : sub.filters()) {
      if (filter.literals().size() <= LITERALS_CHECKED) {
        filter.literals().forEach(value -> require(Tsuid.Kind.TAGV, value));
      }
      require(Tsuid.Kind.TAGK, filter.tagk());
      filters.addAll(filter.conditions());
    }
    return new Selector(filters);
  }

  /** Checks that a name is known to the dataset or to its roll-ups. */
  private void require(Tsuid.Kind kind, String name) {
    Names names = new Names(source.names(), use);
    if (!names.knows(kind, name)
        && source.others().stream().noneMatch(other -> new Names(other, use).knows(kind, name))) {
      names.require(kind, name);
    }
  }

  /** Returns the names of tags that a series must have, and no others; null if others may be. */
  private static @Nullable Map<String, String> explicitTags(SubQuery sub) {
    if (!sub.explicitTags() || sub.filters().isEmpty()) {
      return null;
    }
    Map<String, String> tags = new TreeMap<>();
    sub.filters().forEach(filter -> tags.put(filter.tagk(), filter.filter()));
    return tags;
  }

  private void read(Selection selection, List<Member> into) {
    ReadRequest request = request(selection.selector());
    Stages stages = new Stages(source, query, use, analysis);
    try (RunCursor runs = measured(request, use.runs(dataset).read(request))) {
      Series current = null;
      SeriesReader reader = null;
      for (Run run = runs.next(); run != null; run = runs.next()) {
        if (current == null || !source.isOne(run.series(), current)) {
          end(reader, into);
          current = run.series();
          Map<String, String> tags = source.tags(current);
          reader =
              selection.takes(tags)
                  ? new SeriesReader(current.metric(), tags, stages, dataset.resolution(), use)
                  : null;
        }
        if (reader != null) {
          reader.take(run);
        }
      }
      end(reader, into);
      if (analysis != null) {
        analysis.read(request).cost(runs.cost());
      }
    }
  }

  private RunCursor measured(ReadRequest request, RunCursor runs) {
    return analysis == null ? runs : analysis.read(request).through(runs);
  }

  /** Returns the request for the series of a selector. */
  ReadRequest request(Selector selector) {
    return new ReadRequest(
        selector,
        range.in(dataset.resolution()),
        source.fields(),
        Versions.LATEST,
        Kinds.ONE,
        Order.SERIES_BY_SERIES,
        0,
        false,
        new Budget(use.limits().cells(), use.limits().bytes()));
  }

  private void end(@Nullable SeriesReader reader, List<Member> into) {
    Points points = reader == null ? null : reader.end();
    if (reader == null || points == null) {
      return;
    }
    SortedMap<String, String> tags = TagOrder.sorted(reader.tags());
    use.memory().hold(SERIES_BYTES + TAG_BYTES * tags.size(), "the series of an OpenTSDB query");
    into.add(new Member(reader.metric(), tags, points));
  }

  private List<Group> grouped(List<Member> members) {
    return membersOfGroups(members).stream().map(group -> Group.of(group, source, use)).toList();
  }

  /** Returns the series of each group, in order. */
  List<List<Member>> membersOfGroups(List<Member> members) {
    if (part.aggregator().isNone()) {
      return members.stream().map(List::of).toList();
    }
    Set<String> by = new TreeSet<>(TagOrder.NAMES);
    part.sub().filters().stream()
        .filter(ValueFilter::groupBy)
        .forEach(filter -> by.add(filter.tagk()));
    Map<List<String>, List<Member>> groups = new TreeMap<>(TagOrder.LISTS);
    for (Member member : members) {
      if (!member.tags().keySet().containsAll(by)) {
        // A TSUID may name a series without a tag by which a filter groups.
        continue;
      }
      List<String> values = by.stream().map(name -> member.tags().get(name)).toList();
      groups.computeIfAbsent(values, none -> new ArrayList<>()).add(member);
    }
    return List.copyOf(groups.values());
  }
}

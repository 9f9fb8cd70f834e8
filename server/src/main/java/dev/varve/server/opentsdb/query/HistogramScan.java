package dev.varve.server.opentsdb.query;

import dev.varve.model.Series;
import dev.varve.query.running.QueryUse;
import dev.varve.server.opentsdb.histogram.Histograms;
import dev.varve.server.opentsdb.histogram.SimpleHistogram;
import dev.varve.server.opentsdb.histogram.SimpleHistogram.Bucket;
import dev.varve.server.opentsdb.query.Group.Member;
import dev.varve.server.opentsdb.rollup.Rollups;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Reads the histograms of one sub query, adds those of groups, and takes percentiles or counts. */
public final class HistogramScan {
  private static final String UNDERFLOW = "_UNDERFLOW";
  private static final String OVERFLOW = "_OVERFLOW";

  private final Histograms histograms;
  private final TsQuery.Checked query;
  private final TsQuery.Part part;
  private final QueryUse use;
  private final Source source;
  private final ScanRange range;

  /** The histograms of each series, by the start of their bucket, or by their time. */
  private final Map<Series, SortedMap<Long, SimpleHistogram>> read = new LinkedHashMap<>();

  private HistogramScan(
      Histograms histograms,
      Rollups rollups,
      TsQuery.Checked query,
      TsQuery.Part part,
      QueryUse use) {
    this.histograms = histograms;
    this.query = query;
    this.part = part;
    this.use = use;
    this.source = new Source(histograms.dataset(), histograms.kept(), part, null, rollups);
    this.range = ScanRange.of(query.start(), query.end(), part.downsampling());
  }

  /**
   * Returns the results of a sub query, in order.
   *
   * @throws OpenTsdbError 400 if it has a name that the dataset does not know
   */
  public static List<Group> groups(
      Histograms histograms,
      Rollups rollups,
      TsQuery.Checked query,
      TsQuery.Part part,
      QueryUse use) {
    return new HistogramScan(histograms, rollups, query, part, use).groups();
  }

  private List<Group> groups() {
    Scan scan = new Scan(source, query, use, null);
    for (Scan.Selection selection : scan.selections()) {
      histograms.read(
          selection.selector(),
          range.in(histograms.kept().resolution()),
          use,
          (series, millis, histogram) -> {
            if (selection.takes(series.labels())) {
              take(series, millis, histogram);
            }
          });
    }
    List<Member> members = new ArrayList<>();
    Map<Member, SortedMap<Long, SimpleHistogram>> byMember = new LinkedHashMap<>();
    read.forEach((series, found) -> {
      Member member =
          new Member(series.metric(), TagOrder.sorted(series.labels()), new Points(use.memory()));
      members.add(member);
      byMember.put(member, found);
    });
    members.sort(Comparator.comparing(Member::metric).thenComparing(Member::tags, TagOrder.TAGS));
    List<Group> groups = new ArrayList<>();
    for (List<Member> one : scan.membersOfGroups(members)) {
      add(Group.of(one, source, use), sum(one.stream().map(byMember::get).toList()), groups);
    }
    return groups;
  }

  private void take(Series series, long millis, SimpleHistogram histogram) {
    Long at = place(millis);
    if (at != null) {
      read.computeIfAbsent(series, none -> new TreeMap<>())
          .merge(
              at,
              histogram,
              (sum, next) -> {
                // Without downsampling, the later of two at one time counts.
                if (part.downsampling() == null) {
                  return next;
                }
                sum.add(next);
                return sum;
              });
    }
  }

  /** Returns the start of the bucket of a time; null if it is in none. */
  private @Nullable Long place(long millis) {
    Downsampling spec = part.downsampling();
    if (spec == null) {
      return millis;
    }
    if (spec.isWhole()) {
      return millis < query.start() || millis >= query.end() ? null : query.start();
    }
    Buckets buckets = Buckets.of(spec, part.zone());
    return millis < buckets.ceiling(range.from()) ? null : buckets.floor(millis);
  }

  private SortedMap<Long, SimpleHistogram> sum(List<SortedMap<Long, SimpleHistogram>> all) {
    if (all.size() == 1) {
      return all.getFirst();
    }
    SortedMap<Long, SimpleHistogram> sums = new TreeMap<>();
    for (SortedMap<Long, SimpleHistogram> one : all) {
      one.forEach((time, histogram) ->
          sums.merge(
              time,
              histogram,
              (sum, next) -> {
                sum.add(next);
                return sum;
              }));
    }
    return sums;
  }

  private void add(Group group, SortedMap<Long, SimpleHistogram> sums, List<Group> into) {
    List<Float> percentiles = part.sub().percentiles();
    if (percentiles != null) {
      for (Float percentile : percentiles) {
        Consumer<PointSink> points =
            sink -> sums.forEach((time, sum) -> sink.real(time, sum.percentile(percentile)));
        into.add(group.named("_pct_" + percentile).with(points));
      }
    }
    if (part.sub().showHistogramBuckets() && !sums.isEmpty()) {
      // OpenTSDB shows the buckets of the first time alone.
      SimpleHistogram first = sums.values().iterator().next();
      into.add(counts(group, UNDERFLOW, sums, SimpleHistogram::underflow));
      for (Bucket bucket : List.copyOf(first.buckets().keySet())) {
        into.add(
            counts(
                group,
                "_" + bucket.lower() + "_" + bucket.upper(),
                sums,
                sum -> sum.buckets().getOrDefault(bucket, 0L)));
      }
      into.add(counts(group, OVERFLOW, sums, SimpleHistogram::overflow));
    }
  }

  private static Group counts(
      Group group,
      String ending,
      SortedMap<Long, SimpleHistogram> sums,
      ToLongFunction<SimpleHistogram> count) {
    return group
        .named(ending)
        .with(sink -> sums.forEach((time, sum) -> sink.whole(time, count.applyAsLong(sum))));
  }
}

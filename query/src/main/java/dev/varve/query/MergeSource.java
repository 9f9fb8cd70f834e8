package dev.varve.query;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.model.Samples;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.query.Gathering.Strand;
import dev.varve.query.QueryPlan.Merge;
import dev.varve.query.QueryPlan.Select;
import dev.varve.query.limit.Memory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Merges series in order of time.
 *
 * <p>The engine reads series by series, so all series of a group must be available before its first
 * sample is known. The source first gathers everything at once, or reuses what another plan of the
 * query gathered with the same read. If that does not fit into memory, it reads again group by
 * group. A group that does not fit on its own is read in slices of time, whose length adapts to the
 * data. A group of any length can thus be processed in bounded memory, at the cost of reading some
 * of it twice.
 */
final class MergeSource implements Source {
  /** Share of the memory that a slice is meant to fill; below 1 because series differ. */
  private static final double SLICE_FILL = 0.7;

  private final Merge merge;
  private final Select select;
  private final Memory memory;
  private final Stage next;

  MergeSource(Merge merge, Memory memory, Stage next) {
    this.merge = merge;
    this.select = merge.input();
    this.memory = memory;
    this.next = next;
  }

  @Override
  public void run(QueryRun run) {
    Gathering all = run.shared().gathered(merge);
    if (all == null) {
      all = new Gathering(merge, memory);
      if (!all.gather(run, select.selector(), select.times())) {
        all.release();
        inPieces(run);
        next.finish();
        return;
      }
    }
    run.count(all.counted());
    run.allCounted();
    List<Group> groups = sorted(grouped(all));
    if (groups.isEmpty()) {
      nothing();
    }
    for (boolean text : new boolean[] {false, true}) {
      for (Group group : groups) {
        if (group.has(text) && !next.satisfied()) {
          next.begin(group.series(text));
          emit(group.strands(text));
          next.end();
        }
      }
    }
    run.shared().done(merge, all, memory);
    next.finish();
  }

  private void nothing() {
    if (merge.always()) {
      next.begin(new ResultSeries("", Map.of(), List.of(), false, false, List.of()));
      next.end();
    }
  }

  private Map<List<String>, Group> grouped(Gathering gathering) {
    Map<List<String>, Group> groups = new LinkedHashMap<>();
    gathering
        .strands()
        .forEach((series, strands) ->
            groups.computeIfAbsent(key(series), Group::new).strands.put(series, strands));
    return groups;
  }

  /** Processes one group after another, each in slices of time. */
  private void inPieces(QueryRun run) {
    Map<List<String>, Group> groups = listed(run);
    for (boolean text : new boolean[] {false, true}) {
      boolean another = false;
      for (Group group : sorted(groups)) {
        if (next.satisfied()) {
          return;
        }
        Slices slices = new Slices(run, group, text);
        slices.run();
        another |= slices.sawOther;
      }
      if (!another) {
        return;
      }
    }
  }

  private Map<List<String>, Group> listed(QueryRun run) {
    Map<List<String>, Group> groups = new LinkedHashMap<>();
    try (Stream<Series> found = run.runs().series(select.selector(), select.times())) {
      found.forEach(
          series -> groups.computeIfAbsent(key(series), k -> new Group(k)).sources.add(series));
    }
    return groups;
  }

  /** Sorts groups as KairosDB does: by the concatenated names and values of their labels. */
  private List<Group> sorted(Map<List<String>, Group> groups) {
    TreeMap<String, List<Group>> byText = new TreeMap<>();
    groups.forEach((key, group) -> {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < key.size(); i++) {
        text.append(merge.labels().get(i)).append(key.get(i));
      }
      byText.computeIfAbsent(text.toString(), t -> new ArrayList<>(1)).add(group);
    });
    return byText.values().stream().flatMap(List::stream).toList();
  }

  private List<String> key(Series series) {
    List<String> key = new ArrayList<>(merge.labels().size());
    for (String label : merge.labels()) {
      String value = series.label(label);
      key.add(value == null ? "" : value);
    }
    return key;
  }

  private void emit(Collection<Strand> strands) {
    Emitter out = new Emitter(next);
    if (strands.size() == 1 && !merge.descending()) {
      Samples only = strands.iterator().next().samples();
      out.pass(only, 0, only.size());
      return;
    }
    List<Samples> samples = strands.stream().map(Strand::samples).toList();
    if (AlignedStrands.are(samples)) {
      new AlignedStrands(samples, merge.descending()).into(out);
    } else {
      new StrandHeap(samples, merge.descending()).into(out);
    }
  }

  private final class Group {
    final List<String> key;
    final List<Series> sources = new ArrayList<>();
    final Map<Series, List<Strand>> strands = new LinkedHashMap<>();

    Group(List<String> key) {
      this.key = key;
    }

    boolean has(boolean text) {
      return strands.values().stream().flatMap(List::stream).anyMatch(s -> s.isText() == text);
    }

    List<Strand> strands(boolean text) {
      return strands.values().stream()
          .flatMap(List::stream)
          .filter(s -> s.isText() == text)
          .toList();
    }

    ResultSeries series(boolean text) {
      List<Series> wanted = new ArrayList<>();
      strands.forEach((series, ofSeries) -> {
        if (ofSeries.stream().anyMatch(s -> s.isText() == text)) {
          wanted.add(series);
        }
      });
      return result(wanted, text);
    }

    ResultSeries result(List<Series> wanted, boolean text) {
      Map<String, String> labels = new LinkedHashMap<>();
      for (int i = 0; i < key.size(); i++) {
        labels.put(merge.labels().get(i), key.get(i));
      }
      String metric = wanted.getFirst().metric();
      for (Series series : wanted) {
        if (!series.metric().equals(metric)) {
          metric = "";
          break;
        }
      }
      return new ResultSeries(metric, labels, wanted, text, text, List.of());
    }
  }

  /** Reads one group and type, in slices of time. */
  private final class Slices {
    private final QueryRun run;
    private final Group group;
    private final boolean text;
    private final Selector selector;
    private TimeRange rest = select.times();
    private @Nullable Long width;
    private boolean begun;
    boolean sawOther;

    Slices(QueryRun run, Group group, boolean text) {
      this.run = run;
      this.group = group;
      this.text = text;
      List<TagFilter> filters = new ArrayList<>(select.selector().filters());
      for (int i = 0; i < group.key.size(); i++) {
        filters.add(new TagFilter.Equal(merge.labels().get(i), group.key.get(i)));
      }
      this.selector = new Selector(filters);
    }

    void run() {
      while (!rest.isEmpty()) {
        TimeRange slice = slice();
        Gathering gathering = new Gathering(merge, memory);
        try {
          if (gathering.gather(run, selector, slice)) {
            take(gathering);
            rest = without(slice);
            long length = saturated(slice.from(), slice.to());
            width = length > Long.MAX_VALUE / 2 ? null : (Long) (2 * length);
          } else {
            narrow(gathering, slice);
          }
        } finally {
          gathering.release();
        }
      }
      if (begun) {
        next.end();
      }
    }

    private void take(Gathering gathering) {
      run.count(gathering.counted());
      for (Group found : grouped(gathering).values()) {
        sawOther |= found.has(!text);
        if (found.has(text)) {
          if (!begun) {
            begun = true;
            next.begin(group.result(group.sources, text));
          }
          emit(found.strands(text));
        }
      }
    }

    private TimeRange slice() {
      Long wanted = width;
      if (wanted == null || wanted >= saturated(rest.from(), rest.to())) {
        return rest;
      }
      return merge.descending()
          ? new TimeRange(rest.to() - wanted, rest.to())
          : new TimeRange(rest.from(), rest.from() + wanted);
    }

    private TimeRange without(TimeRange slice) {
      return merge.descending()
          ? new TimeRange(rest.from(), slice.from())
          : new TimeRange(slice.to(), rest.to());
    }

    /**
     * Shortens the slice. Only the first series were read; this assumes that the others are as
     * large.
     */
    private void narrow(Gathering gathering, TimeRange slice) {
      double share =
          SLICE_FILL
              * gathering.seriesSeen()
              / Math.max(group.sources.size(), gathering.seriesSeen());
      Long border = gathering.timeAt(share);
      long length =
          border == null
              ? 0
              : merge.descending()
                  ? saturated(border, slice.to())
                  : saturated(slice.from(), border);
      if (length < 1 || length >= saturated(slice.from(), slice.to())) {
        length = saturated(slice.from(), slice.to()) / 2;
      }
      if (length < 1) {
        throw new QueryRefusedException(
            "%d series of one group have more samples at one instant, %d, than fit into the %s that a query may hold; select or group fewer series"
                .formatted(group.sources.size(), slice.from(), Memory.size(memory.max())));
      }
      width = length;
    }

    private static long saturated(long from, long to) {
      long length = to - from;
      return length < 0 ? Long.MAX_VALUE : length;
    }
  }
}

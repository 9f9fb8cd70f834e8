package dev.varve.query;

import dev.varve.engine.QueryRefusedException;
import dev.varve.model.Kind;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.query.QueryPlan.Merge;
import dev.varve.query.QueryPlan.Select;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Series side by side in the order of time.
 *
 * <p>The engine reads series by series, so that all of a group has to be at hand before its first
 * sample is known. First everything is gathered at once. What does not fit into memory is read
 * again group by group, and a group that does not fit by itself in slices of time, whose length
 * follows what was seen: a group of any length goes through in bounded memory, at the price of
 * reading some of it twice.
 */
final class MergeSource implements Source {
  /** Time, value and stamp, in a vector that grows by doubling. */
  private static final long BYTES_PER_SAMPLE = 32;

  private static final long BYTES_PER_STRAND = 1024;

  /** How much of the memory a slice is cut to fill, as series are never quite alike. */
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
    Gathering all = new Gathering();
    if (all.gather(run, select.selector(), select.times())) {
      run.count(all.counted());
      run.allCounted();
      for (boolean text : new boolean[] {false, true}) {
        for (Group group : sorted(all.groups)) {
          if (group.has(text) && !next.satisfied()) {
            next.begin(group.series(text));
            emit(group.strands(text));
            next.end();
          }
        }
      }
      all.release();
    } else {
      all.release();
      inPieces(run);
    }
    next.finish();
  }

  /** One group after the other, each in slices of time. */
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

  /** The order of KairosDB: names and values of the labels, end to end. */
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
      Samples only = strands.iterator().next().samples;
      out.pass(only, 0, only.size());
      return;
    }
    PriorityQueue<Strand> heap = new PriorityQueue<>(strands.size(), this::compare);
    for (Strand strand : strands) {
      if (strand.start(merge.descending())) {
        heap.add(strand);
      }
    }
    while (!heap.isEmpty()) {
      Strand strand = heap.poll();
      Strand rival = heap.peek();
      boolean more;
      do {
        out.addFrom(strand.samples, strand.at);
        more = strand.advance(merge.descending());
      } while (more && (rival == null || compare(strand, rival) <= 0));
      if (more) {
        heap.add(strand);
      }
    }
    out.flush();
  }

  private int compare(Strand a, Strand b) {
    int order = Long.compare(a.samples.time(a.at), b.samples.time(b.at));
    if (order == 0 && a.samples.kind() != Kind.STRING && b.samples.kind() != Kind.STRING) {
      order = Double.compare(a.samples.number(a.at), b.samples.number(b.at));
    }
    return merge.descending() ? -order : order;
  }

  /** The samples of one series and kind. */
  private static final class Strand {
    Samples samples;
    int at;

    /** Where its runs begin. */
    private final List<Integer> runs = new ArrayList<>();

    Strand(Kind kind) {
      samples = new Samples(kind);
    }

    void beginRun() {
      runs.add(samples.size());
    }

    /** Puts runs that came newest first into the order of time. */
    void settle() {
      if (runs.size() < 2) {
        return;
      }
      Samples settled = new Samples(samples.kind());
      int end = samples.size();
      for (int start : runs.reversed()) {
        for (int i = start; i < end; i++) {
          settled.addFrom(samples, i);
        }
        end = start;
      }
      samples = settled;
    }

    boolean start(boolean descending) {
      at = descending ? samples.size() - 1 : 0;
      return !samples.isEmpty();
    }

    boolean advance(boolean descending) {
      at += descending ? -1 : 1;
      return at >= 0 && at < samples.size();
    }
  }

  private final class Group {
    final List<String> key;
    final List<Series> sources = new ArrayList<>();
    final Map<Series, Strand[]> strands = new LinkedHashMap<>();

    Group(List<String> key) {
      this.key = key;
    }

    boolean has(boolean text) {
      return !strands(text).isEmpty();
    }

    void settle() {
      for (Strand[] ofSeries : strands.values()) {
        for (Strand strand : ofSeries) {
          if (strand != null) {
            strand.settle();
          }
        }
      }
    }

    List<Strand> strands(boolean text) {
      List<Strand> wanted = new ArrayList<>();
      for (Strand[] ofSeries : strands.values()) {
        for (Strand strand : ofSeries) {
          if (strand != null && (strand.samples.kind() == Kind.STRING) == text) {
            wanted.add(strand);
          }
        }
      }
      return wanted;
    }

    ResultSeries series(boolean text) {
      List<Series> wanted = sources;
      if (!strands.isEmpty()) {
        wanted = new ArrayList<>();
        for (Map.Entry<Series, Strand[]> entry : strands.entrySet()) {
          Strand[] ofSeries = entry.getValue();
          boolean texts = ofSeries[Held.place(Kind.STRING)] != null;
          boolean numbers =
              ofSeries[Held.place(Kind.INT64)] != null || ofSeries[Held.place(Kind.DOUBLE)] != null;
          if (text ? texts : numbers) {
            wanted.add(entry.getKey());
          }
        }
      }
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

  /** What one read delivers, as far as it fits into memory. */
  private final class Gathering {
    final Map<List<String>, Group> groups = new LinkedHashMap<>();
    private long held;
    private int seriesSeen;

    /** Whether all of it fitted; if not, what there is so far tells where to cut. */
    boolean gather(QueryRun run, Selector selector, TimeRange times) {
      try (QueryRun.Reading reading = run.read(select, selector, times)) {
        Series series = null;
        Strand[] strands = {};
        for (Run part = reading.next(); part != null; part = reading.next()) {
          if (!part.series().equals(series)) {
            series = part.series();
            strands = strands(series);
          }
          if (!take(strands, part.samples())) {
            return false;
          }
        }
      }
      if (select.newest() > 0) {
        groups.values().forEach(Group::settle);
      }
      return true;
    }

    private Strand[] strands(Series series) {
      Group group = groups.computeIfAbsent(key(series), Group::new);
      Strand[] strands = group.strands.get(series);
      if (strands == null) {
        strands = new Strand[Kind.values().length];
        group.strands.put(series, strands);
        seriesSeen++;
      }
      return strands;
    }

    private boolean take(Strand[] strands, Samples samples) {
      int place = Held.place(samples.kind());
      if (strands[place] == null) {
        if (!hold(BYTES_PER_STRAND)) {
          return false;
        }
        strands[place] = new Strand(samples.kind());
      }
      Samples target = strands[place].samples;
      int count = samples.size();
      if (merge.perSeries() > 0 && !merge.descending()) {
        count = Math.min(count, merge.perSeries() - target.size());
      }
      if (count == 0) {
        return true;
      }
      long bytes = BYTES_PER_SAMPLE * count;
      if (samples.kind() == Kind.STRING) {
        bytes += samples.textEnd(count - 1);
      }
      if (!hold(bytes)) {
        return false;
      }
      strands[place].beginRun();
      for (int i = 0; i < count; i++) {
        target.addFrom(samples, i);
      }
      return true;
    }

    private boolean hold(long bytes) {
      if (!memory.tryHold(bytes)) {
        return false;
      }
      held += bytes;
      return true;
    }

    void release() {
      memory.release(held);
      groups.clear();
    }

    /** How many samples there are; of each series and kind no more than are wanted. */
    long counted() {
      long count = 0;
      for (Group group : groups.values()) {
        for (Strand[] strands : group.strands.values()) {
          for (Strand strand : strands) {
            if (strand != null) {
              int size = strand.samples.size();
              count += merge.perSeries() > 0 ? Math.min(size, merge.perSeries()) : size;
            }
          }
        }
      }
      return count;
    }

    /** The time at so much of what was seen, counted from the end that is read first. */
    @Nullable Long timeAt(double share) {
      long[] seen = new long[4096];
      int size = 0;
      long total = Math.max(1, held / BYTES_PER_SAMPLE);
      int step = (int) Math.max(1, total / seen.length + 1);
      for (Group group : groups.values()) {
        for (Strand[] strands : group.strands.values()) {
          for (Strand strand : strands) {
            for (int i = 0; strand != null && i < strand.samples.size(); i += step) {
              if (size == seen.length) {
                seen = Arrays.copyOf(seen, 2 * size);
              }
              seen[size++] = strand.samples.time(i);
            }
          }
        }
      }
      if (size == 0) {
        return null;
      }
      Arrays.sort(seen, 0, size);
      int at = Math.clamp((long) (share * size), 0, size - 1);
      return seen[merge.descending() ? size - 1 - at : at];
    }
  }

  /** One group and type, slice after slice of time. */
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
        Gathering gathering = new Gathering();
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
      for (Group found : gathering.groups.values()) {
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

    /** What was seen is of the first series only: the others will want as much. */
    private void narrow(Gathering gathering, TimeRange slice) {
      double share =
          SLICE_FILL * gathering.seriesSeen / Math.max(group.sources.size(), gathering.seriesSeen);
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

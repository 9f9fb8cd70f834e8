package dev.varve.layout.plan;

import dev.varve.layout.Binding;
import dev.varve.layout.Directory;
import dev.varve.layout.KeyPart;
import dev.varve.layout.RowAddressing;
import dev.varve.layout.Step;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Recurring;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.store.Limits;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Plans reads of a layout with an index of its own. It reads the time range of each metric from the
 * index, keeps the rows of matching series and reads them many at a time.
 */
final class DirectoryPlan {
  /** The page size that KairosDB uses for a row once its first page came back full. */
  private static final int PAGE_CELLS = 10_240;

  private final Survey survey;
  private final Map<GroupKey, Integer> places = new HashMap<>();
  private final List<List<Directory.Row>> rowsOfBinding = new ArrayList<>();
  private final Set<Bytes> partitions = new HashSet<>();

  private DirectoryPlan(Survey survey) {
    this.survey = survey;
    for (int i = 0; i < survey.bindings.size(); i++) {
      places.put(survey.bindings.get(i).key(), i);
      rowsOfBinding.add(new ArrayList<>());
    }
  }

  /** The entries of the index for all metrics looked up so far. */
  private record Named(int metrics, List<Directory.Row> rows, List<String> damaged) {
    static final Named NOTHING = new Named(0, List.of(), List.of());

    Named and(Directory.Listing more) {
      List<Directory.Row> allRows = new ArrayList<>(rows);
      allRows.addAll(more.rows());
      List<String> allDamaged = new ArrayList<>(damaged);
      allDamaged.addAll(more.damaged());
      return new Named(metrics + 1, allRows, allDamaged);
    }
  }

  static Step<Plan> of(Directory directory, Survey survey) {
    Map<String, Map<String, Set<String>>> values = new LinkedHashMap<>();
    for (Binding binding : survey.bindings) {
      Tags tags = binding.key().tags();
      Map<String, Set<String>> known = values.get(binding.key().metric());
      if (known == null) {
        values.put(binding.key().metric(), valuesOf(tags));
      } else {
        known.keySet().removeIf(name -> tags.get(name) == null);
        known.forEach((name, of) -> of.add(String.valueOf(tags.get(name))));
      }
    }
    Map<String, List<TagFilter>> filters = new LinkedHashMap<>();
    values.forEach((metric, of) -> filters.put(metric, filters(of)));
    return named(directory, survey, List.copyOf(filters.keySet()), filters, Named.NOTHING)
        .map(named -> new DirectoryPlan(survey).plan(named));
  }

  private static Map<String, Set<String>> valuesOf(Tags tags) {
    Map<String, Set<String>> values = new TreeMap<>();
    tags.forEach((name, value) -> values.computeIfAbsent(name, key -> new TreeSet<>()).add(value));
    return values;
  }

  /** Returns filters that match all requested keys of a metric; the index may use them. */
  private static List<TagFilter> filters(Map<String, Set<String>> values) {
    List<TagFilter> filters = new ArrayList<>(values.size());
    values.forEach((name, of) ->
        filters.add(
            of.size() == 1
                ? new TagFilter.Equal(name, of.iterator().next())
                : new TagFilter.In(name, of)));
    return filters;
  }

  /** Looks up the metrics one after another. */
  private static Step<Named> named(
      Directory directory,
      Survey survey,
      List<String> metrics,
      Map<String, List<TagFilter>> filters,
      Named before) {
    int next = before.metrics();
    if (next == metrics.size()) {
      return Step.done(before);
    }
    String metric = metrics.get(next);
    return directory
        .rows(metric, filters.getOrDefault(metric, List.of()), survey.times)
        .then(listing -> named(directory, survey, metrics, filters, before.and(listing)));
  }

  private Plan plan(Named named) {
    for (Directory.Row row : named.rows()) {
      Integer place = places.get(row.key());
      if (place != null) {
        rowsOfBinding.get(place).add(row);
      }
    }
    List<Plan.StrandGroup> groups = new ArrayList<>();
    for (int i = 0; i < rowsOfBinding.size(); i++) {
      List<Plan.Strand> strands = strands(rowsOfBinding.get(i));
      if (!strands.isEmpty()) {
        groups.add(new Plan.StrandGroup(List.of(i), strands));
      }
    }
    Way.Amount cells =
        new Way.Amount(survey.bindings.size(), true)
            .times(
                Edges.of(survey).exact() ? survey.means().cells() : survey.means().cellsOfRows());
    long all = rowsOfBinding.stream().mapToLong(List::size).sum();
    // Rows are long and may be read in part, so the share of cells in some of them is a guess.
    double share = all == 0 ? 1 : (double) rows(groups) / all;
    return plan(named, groups, all, cells.share(share, false));
  }

  /**
   * Builds the plan.
   *
   * @param matching number of rows of requested series
   */
  private Plan plan(Named named, List<Plan.StrandGroup> groups, long matching, Way.Amount cells) {
    if (!named.damaged().isEmpty()) {
      throw new PlanRefusedException(
          "the index names %,d rows of the requested metrics and times that this layout cannot read, so the result would be incomplete; the first: %s"
              .formatted(named.damaged().size(), named.damaged().getFirst()));
    }
    long kept = rows(groups);
    if (survey.partitioned && !survey.wholeTable && partitions.size() > Weights.PARTITIONS_HARD) {
      throw new PlanRefusedException(
          "it would take %,d rows of the index, and one plan reads %,d at most: narrow the time range or the series, or allow whole-table scans"
              .formatted(kept, Weights.PARTITIONS_HARD));
    }
    List<String> notes = new ArrayList<>();
    notes.add(
        "the index names %,d rows, of which %,d are of matching series"
            .formatted(named.rows().size(), matching));
    if (kept < matching) {
      notes.add("%,d of these may hold requested times".formatted(kept));
    }
    Planner.noteOfPartitions(survey, partitions.size(), notes);
    OptionalLong rows = OptionalLong.of(kept);
    OptionalLong wanted = kept == 0 ? rows : cells.known();
    return new Plan(
        groups,
        new Plan.Estimate(partitions.size(), kept, rows, rows, wanted, wanted),
        List.of(
            new Plan.Alternative(
                "rows named by the index",
                Weights.cost((double) kept, (double) kept, cells.value()),
                "the layout finds its rows by its own index",
                new Plan.Expected((double) kept, (double) kept, cells.value()))),
        notes);
  }

  private static long rows(List<Plan.StrandGroup> groups) {
    return groups.stream()
        .flatMap(group -> group.strands().stream())
        .mapToLong(strand -> strand.read().slices().size())
        .sum();
  }

  private Limits limits() {
    return survey.newestFirst > 0
        ? SliceWriter.limits(survey.newestFirst)
        : Limits.NONE.withPageCells(PAGE_CELLS);
  }

  /** A row and the time span of its samples, {@code from} inclusive to {@code to} exclusive. */
  private record Timed(Directory.Row row, long from, long to) {}

  /**
   * Distributes rows over as few reads as possible such that each read returns the samples of every
   * series in time order. Rows of one series may overlap in time: an index may list one row per
   * kind, and rows overlap if a layout does not round times down. Only cell times tell which of two
   * samples of one instant is the later one, so overlapping reads include them.
   */
  private List<Plan.Strand> strands(List<Directory.Row> rows) {
    List<List<Timed>> apart = new ArrayList<>();
    List<Map<GroupKey, Timed>> lasts = new ArrayList<>();
    for (Timed row : ordered(rows)) {
      int strand = 0;
      while (strand < apart.size() && overlap(lasts.get(strand).get(row.row().key()), row)) {
        strand++;
      }
      if (strand == apart.size()) {
        apart.add(new ArrayList<>());
        lasts.add(new HashMap<>());
      }
      apart.get(strand).add(row);
      lasts.get(strand).put(row.row().key(), row);
    }
    boolean cellTimes = apart.size() > 1 || survey.scope.stamps() || survey.layout.needsCellTimes();
    return apart.stream().map(one -> strand(one, cellTimes)).toList();
  }

  private static boolean overlap(@Nullable Timed before, Timed row) {
    return before != null && before.from() < row.to() && row.from() < before.to();
  }

  private List<Timed> ordered(List<Directory.Row> rows) {
    KeyPart.Time part = survey.lastTime();
    Comparator<Timed> order = Comparator.comparingLong(Timed::from);
    return rows.stream()
        .map(row -> {
          byte[] bytes = row.row().toArray();
          if (part == null) {
            return new Timed(row, Long.MIN_VALUE, Long.MAX_VALUE);
          }
          long bucket = survey.shape.time(bytes, 0, bytes.length);
          return new Timed(row, bucket, part.next(bucket));
        })
        .filter(this::isWanted)
        .sorted(
            (survey.newestFirst > 0 ? order.reversed() : order)
                .thenComparing(timed -> timed.row().row()))
        .toList();
  }

  /** Returns whether a row may contain a wanted time. */
  private boolean isWanted(Timed row) {
    Recurring recurring = survey.scope.recurring();
    return recurring == null
        || row.from() == Long.MIN_VALUE
        || recurring.overlaps(new TimeRange(row.from(), Math.max(row.from(), row.to())));
  }

  private Plan.Strand strand(List<Timed> rows, boolean cellTimes) {
    List<Slice> slices = new ArrayList<>(rows.size());
    rows.forEach(row -> slices.add(slice(row)));
    ReadPlan read = ReadPlan.of(slices, survey.layout.select(survey.scope)).with(limits());
    return new Plan.Strand(
        survey.layout.dataTable(), read.withCellTimes(cellTimes), false, survey.scope.times());
  }

  private Slice slice(Timed timed) {
    RowAddressing layout = survey.layout;
    Partitioning partitioning = layout.tables().get(layout.dataTable()).partitioning();
    Bytes row = timed.row().row();
    Bytes partition = row.slice(0, partitioning.prefixLength(row.toArray(), 0, row.length()));
    partitions.add(partition);
    Bytes from = edge(timed, survey.scope.times().from());
    Bytes to = edge(timed, survey.scope.times().to());
    return Slice.row(partition, row, from == null ? Bytes.EMPTY : from, to);
  }

  /**
   * Returns the qualifier at which a time starts in a row; null if the time is not within the row
   * or the layout has no such qualifier.
   */
  private @Nullable Bytes edge(Timed row, long time) {
    if (survey.lastTime() == null
        || survey.scope.attributes()
        || time <= row.from()
        || time >= row.to()) {
      return null;
    }
    return survey.layout.qualifierAt(row.from(), time).orElse(null);
  }
}

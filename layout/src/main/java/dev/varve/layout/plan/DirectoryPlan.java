package dev.varve.layout.plan;

import dev.varve.layout.Binding;
import dev.varve.layout.Directory;
import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.layout.RowShape;
import dev.varve.layout.Step;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
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
import org.jspecify.annotations.Nullable;

/**
 * The plan of a layout that has an index of its own: the index of each metric is sliced by time, of
 * the rows that it names those of matching series are kept, and they are read many at a time.
 */
final class DirectoryPlan {
  /**
   * As many cells of one row as KairosDB reads on with where the first page of it came back full.
   */
  private static final int PAGE_CELLS = 10_240;

  private final Survey survey;
  private final Map<GroupKey, Integer> places = new HashMap<>();
  private final List<List<Bytes>> rowsOfBinding = new ArrayList<>();
  private final Set<Bytes> partitions = new HashSet<>();

  private DirectoryPlan(Survey survey) {
    this.survey = survey;
    for (int i = 0; i < survey.bindings.size(); i++) {
      places.put(survey.bindings.get(i).key(), i);
      rowsOfBinding.add(new ArrayList<>());
    }
  }

  /** What the index lists, the metrics that were asked for so far together. */
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
    Map<String, List<TagFilter>> filters = new LinkedHashMap<>();
    for (Binding binding : survey.bindings) {
      filters.merge(binding.key().metric(), equals(binding.key().tags()), DirectoryPlan::common);
    }
    return named(directory, survey, List.copyOf(filters.keySet()), filters, Named.NOTHING)
        .map(named -> new DirectoryPlan(survey).plan(named));
  }

  /** Every row that the index names, whatever series it belongs to. */
  static Step<Plan> ofAll(Directory directory, Survey survey, List<String> metrics) {
    return named(directory, survey, metrics, Map.of(), Named.NOTHING)
        .map(named -> new DirectoryPlan(survey).planOfAll(named));
  }

  /** What holds of every key of a metric that is asked for, since the index may use it. */
  private static List<TagFilter> equals(Tags tags) {
    List<TagFilter> filters = new ArrayList<>(tags.size());
    tags.forEach((name, value) -> filters.add(new TagFilter.Equal(name, value)));
    return filters;
  }

  private static List<TagFilter> common(List<TagFilter> some, List<TagFilter> others) {
    return some.stream().filter(others::contains).toList();
  }

  /** Asks for one metric after the other. */
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
        rowsOfBinding.get(place).add(row.row());
      }
    }
    List<Plan.StrandGroup> groups = new ArrayList<>();
    for (int i = 0; i < rowsOfBinding.size(); i++) {
      if (!rowsOfBinding.get(i).isEmpty()) {
        groups.add(new Plan.StrandGroup(List.of(i), List.of(strand(rowsOfBinding.get(i)))));
      }
    }
    Way.Amount cells =
        new Way.Amount(survey.bindings.size(), true)
            .times(
                Edges.of(survey).exact() ? survey.means().cells() : survey.means().cellsOfRows());
    return plan(named, groups, cells);
  }

  private Plan planOfAll(Named named) {
    List<Plan.StrandGroup> groups =
        named.rows().isEmpty()
            ? List.of()
            : List.of(
                new Plan.StrandGroup(
                    List.of(),
                    List.of(strand(named.rows().stream().map(Directory.Row::row).toList()))));
    return plan(named, groups, new Way.Amount(0, false));
  }

  private Plan plan(Named named, List<Plan.StrandGroup> groups, Way.Amount cells) {
    long kept =
        groups.stream().mapToLong(group -> group.strands().getFirst().read().slices().size()).sum();
    if (partitions.size() > Weights.PARTITIONS_HARD) {
      throw new PlanRefusedException(
          "it would take %,d rows of the index, and one plan reads %,d at most: narrow the time range or the series"
              .formatted(kept, Weights.PARTITIONS_HARD));
    }
    List<String> notes = new ArrayList<>();
    notes.add(
        "the index names %,d rows, of which %,d are of matching series"
            .formatted(named.rows().size(), kept));
    named.damaged().forEach(damage -> notes.add("damaged in the index: " + damage));
    Planner.noteOfPartitions(partitions.size(), notes);
    OptionalLong rows = OptionalLong.of(kept);
    return new Plan(
        groups,
        new Plan.Estimate(partitions.size(), kept, rows, rows, kept == 0 ? rows : cells.known()),
        List.of(
            new Plan.Alternative(
                "rows named by the index",
                Weights.cost((double) kept, (double) kept, cells.value()),
                "the layout finds its rows by its own index")),
        notes);
  }

  private Plan.Strand strand(List<Bytes> rows) {
    ReadPlan read = ReadPlan.of(slices(rows), survey.layout.select(survey.scope)).with(limits());
    return new Plan.Strand(survey.layout.dataTable(), read, false, survey.scope.times());
  }

  private Limits limits() {
    return survey.newestFirst > 0
        ? SliceWriter.limits(survey.newestFirst)
        : Limits.NONE.withPageCells(PAGE_CELLS);
  }

  /** A timed row, for sorting. */
  private record Timed(Bytes row, long time) {}

  private List<Slice> slices(List<Bytes> rows) {
    Layout layout = survey.layout;
    RowShape shape = survey.shape;
    Partitioning partitioning = layout.tables().get(layout.dataTable()).partitioning();
    KeyPart.Time part = survey.lastTime();
    Comparator<Timed> order = Comparator.comparingLong(Timed::time);
    List<Timed> timed =
        rows.stream()
            .map(row -> {
              byte[] bytes = row.toArray();
              return new Timed(row, part == null ? 0 : shape.time(bytes, 0, bytes.length));
            })
            .sorted((survey.newestFirst > 0 ? order.reversed() : order).thenComparing(Timed::row))
            .toList();
    List<Slice> slices = new ArrayList<>(timed.size());
    for (Timed row : timed) {
      byte[] bytes = row.row().toArray();
      Bytes partition = row.row().slice(0, partitioning.prefixLength(bytes, 0, bytes.length));
      partitions.add(partition);
      Bytes from = edge(part, row.time(), survey.scope.times().from());
      Bytes to = edge(part, row.time(), survey.scope.times().to());
      slices.add(Slice.row(partition, row.row(), from == null ? Bytes.EMPTY : from, to));
    }
    return slices;
  }

  /** Where in a row a time stands; null where it is not inside, or the layout cannot say. */
  private @Nullable Bytes edge(KeyPart.@Nullable Time part, long bucket, long time) {
    if (part == null || survey.scope.attributes() || time <= bucket || time >= part.next(bucket)) {
      return null;
    }
    return survey.layout.qualifierAt(bucket, time).orElse(null);
  }
}

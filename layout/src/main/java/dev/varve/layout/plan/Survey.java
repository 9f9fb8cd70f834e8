package dev.varve.layout.plan;

import dev.varve.layout.Binding;
import dev.varve.layout.KeyPart;
import dev.varve.layout.ReadScope;
import dev.varve.layout.RowAddressing;
import dev.varve.layout.RowShape;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.store.Capabilities.RowOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The input of the estimates: the request, restricted to times that can have samples, and the
 * average amounts of one series.
 */
final class Survey {
  final RowAddressing layout;
  final RowShape shape;
  final List<? extends Binding> bindings;
  final ReadScope scope;
  final Census census;
  final boolean wholeTable;
  final int newestFirst;

  /** Whether each series must be in a group of its own. */
  final boolean apart;

  /** Whether a slice must stay within one partition. */
  final boolean partitioned;

  /** The part of the requested range that can have samples. */
  final TimeRange times;

  /** Whether there may be samples before {@link #times}, so that a slice needs a start. */
  final boolean boundedBelow;

  /** Whether there may be samples after {@link #times}, so that a slice needs an end. */
  final boolean boundedAbove;

  /** The fields sorted by name; null if they are unknown. */
  final @Nullable List<String> fields;

  private final Map<String, Integer> bindingsOfMetric = new HashMap<>();
  private final Map<String, OptionalLong> seriesOfMetric = new HashMap<>();

  private final Map<Sharing, OptionalLong> series = new HashMap<>();

  private record Sharing(String metric, List<TagFilter> filters, boolean inTime) {}

  /** Keyed by the number of pinned parts that depend on the series. */
  private final Map<Integer, Groups> groups = new HashMap<>();

  private @Nullable Means means;

  /** The average amounts of one series, counted or guessed. */
  record Means(Mean rows, Mean rowsEver, Mean cells, Mean cellsOfRows, Mean cellsEver) {
    /**
     * Returns whether rows have several cells each, so that some of the rows have a proportional
     * share of the cells. With fewer cells the share is unpredictable: one sample a day may lie in
     * each requested hour or in none.
     */
    boolean fillRows() {
      return cellsOfRows.value() >= 2 * rows.value();
    }
  }

  /**
   * A mean number.
   *
   * @param counted whether the census has counted it; otherwise it is guessed
   */
  record Mean(double value, boolean counted) {}

  Survey(RowAddressing layout, PlanRequest request, List<? extends Binding> bindings) {
    this.layout = layout;
    this.shape = layout.rows();
    this.bindings = bindings;
    this.scope = request.scope();
    this.census = request.census();
    this.wholeTable = request.wholeTable();
    this.newestFirst = request.newestFirst();
    this.apart = request.apart();
    this.partitioned = request.order() == RowOrder.PARTITION;
    TimeRange possible =
        census.times().map(layout.domain().times()::intersect).orElse(layout.domain().times());
    this.times = scope.times().intersect(possible);
    this.boundedBelow = scope.times().from() > layout.domain().times().from();
    this.boundedAbove = scope.times().to() < layout.domain().times().to();
    this.fields = scope.fields() == null ? null : List.copyOf(new TreeSet<>(scope.fields()));
    for (Binding binding : bindings) {
      bindingsOfMetric.merge(binding.key().metric(), 1, Integer::sum);
    }
  }

  /** Returns the number of keys of a metric, at least those of the request. */
  OptionalLong seriesOfMetric(String metric) {
    return seriesOfMetric.computeIfAbsent(
        metric,
        name -> {
          OptionalLong counted = census.series(name, List.of(), null);
          return counted.isEmpty()
              ? counted
              : OptionalLong.of(Math.max(counted.getAsLong(), bindingsOf(name)));
        });
  }

  /**
   * Returns the number of keys of a metric that match all filters.
   *
   * @param inTime whether to exclude keys without samples in the range
   */
  OptionalLong series(String metric, List<TagFilter> filters, boolean inTime) {
    return series.computeIfAbsent(
        new Sharing(metric, filters, inTime),
        asked -> census.series(metric, filters, inTime ? times : null));
  }

  int bindingsOf(String metric) {
    return bindingsOfMetric.getOrDefault(metric, 0);
  }

  /** Returns the bindings grouped by the first {@code pinned} parts of the row key. */
  Groups groups(int pinned) {
    List<KeyPart> given = Groups.given(shape, pinned);
    return groups.computeIfAbsent(given.size(), count -> Groups.of(bindings, given));
  }

  Means means() {
    Means known = means;
    if (known == null) {
      known = count();
      means = known;
    }
    return known;
  }

  private Means count() {
    Tally rows = new Tally();
    Tally rowsEver = new Tally();
    Tally cells = new Tally();
    Tally cellsOfRows = new Tally();
    Tally cellsEver = new Tally();
    TimeRange rowTimes = timesOfRows();
    int stride = Math.max(1, bindings.size() / Weights.SAMPLED_BINDINGS);
    for (int i = 0; i < bindings.size(); i += stride) {
      Binding binding = bindings.get(i);
      rows.add(census.buckets(binding, times));
      rowsEver.add(census.buckets(binding, TimeRange.ALL));
      cells.add(census.cells(binding, times));
      cellsOfRows.add(census.cells(binding, rowTimes));
      cellsEver.add(census.cells(binding, TimeRange.ALL));
    }
    double rowsGuess = guessRows();
    double cellsGuess = rows.mean(rowsGuess).value() * cellsOfRow();
    double share = share(times, rowTimes);
    Mean rowsMean = rows.mean(rowsGuess);
    Mean everMean = rowsEver.mean(guessRowsEver(rowsMean.value()));
    return new Means(
        rowsMean,
        everMean,
        cells.mean(cellsGuess * share),
        cellsOfRows.mean(cellsGuess),
        cellsEver.mean(everMean.value() * cellsOfRow()));
  }

  private double guessRows() {
    KeyPart.Time last = lastTime();
    if (last == null) {
      return 1;
    }
    Buckets buckets = Buckets.of(last, times, null);
    return buckets.starts() == null ? Weights.ROWS_OF_SERIES : buckets.count();
  }

  private double guessRowsEver(double inRange) {
    return lastTime() == null ? inRange : Math.max(10 * inRange, Weights.ROWS_OF_SERIES);
  }

  private double cellsOfRow() {
    KeyPart.Time last = lastTime();
    return last != null && last.instant() ? 1 : Weights.CELLS_OF_ROW;
  }

  KeyPart.@Nullable Time lastTime() {
    int last = shape.lastTimePart();
    return last < 0 ? null : (KeyPart.Time) shape.parts().get(last);
  }

  /** Returns the range widened to the bounds of the rows that it overlaps. */
  private TimeRange timesOfRows() {
    KeyPart.Time last = lastTime();
    if (last == null) {
      return TimeRange.ALL;
    }
    if (last.instant() || times.isEmpty()) {
      return times;
    }
    long from = boundedBelow ? Math.min(times.from(), last.floor(times.from())) : times.from();
    long to =
        boundedAbove ? Math.max(times.to(), last.next(last.floor(times.to() - 1))) : times.to();
    return new TimeRange(from, to);
  }

  private static double share(TimeRange part, TimeRange whole) {
    double length = (double) whole.to() - whole.from();
    return length <= 0 ? 1 : Math.min(1, ((double) part.to() - part.from()) / length);
  }

  /** The mean of counts from the census; unknown if any of them is. */
  private static final class Tally {
    private double sum;
    private int count;
    private boolean unknown;

    void add(OptionalLong answer) {
      if (answer.isEmpty()) {
        unknown = true;
      } else {
        sum += answer.getAsLong();
        count++;
      }
    }

    Mean mean(double guess) {
      return unknown || count == 0 ? new Mean(guess, false) : new Mean(sum / count, true);
    }
  }
}

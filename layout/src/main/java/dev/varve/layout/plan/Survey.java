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
 * What is known before ways are weighed: the request, cut to the times that can be there, and how
 * much one series holds on average.
 */
final class Survey {
  final RowAddressing layout;
  final RowShape shape;
  final List<? extends Binding> bindings;
  final ReadScope scope;
  final Census census;
  final boolean wholeTable;
  final int newestFirst;

  /** Whether each series has to be in a group of its own. */
  final boolean apart;

  /** Whether a slice has to stay within one partition. */
  final boolean partitioned;

  /** The part of the range in which samples can be. */
  final TimeRange times;

  /** Whether samples can be before {@link #times}, so that a slice must have a start. */
  final boolean boundedBelow;

  /** Whether samples can be behind {@link #times}. */
  final boolean boundedAbove;

  /** Fields in the order of their names; null where they are not known. */
  final @Nullable List<String> fields;

  private final Map<String, Integer> bindingsOfMetric = new HashMap<>();
  private final Map<String, OptionalLong> seriesOfMetric = new HashMap<>();

  private final Map<Sharing, OptionalLong> series = new HashMap<>();

  private record Sharing(String metric, List<TagFilter> filters, boolean inTime) {}

  /** By the number of parts that a key gives and that are pinned. */
  private final Map<Integer, Groups> groups = new HashMap<>();

  private @Nullable Means means;

  /** What one series holds on average, and whether that was counted or is a guess. */
  record Means(Mean rows, Mean rowsEver, Mean cells, Mean cellsOfRows, Mean cellsEver) {
    /**
     * Whether rows hold several cells each, so that some of them hold their share: a sample a day
     * may lie in every hour that is asked for, or in none.
     */
    boolean fillRows() {
      return cellsOfRows.value() >= 2 * rows.value();
    }
  }

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

  /** How many keys a metric has, at least those of the request. */
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
   * How many keys of a metric match some filters.
   *
   * @param inTime whether those that have no sample in the range are left out
   */
  OptionalLong series(String metric, List<TagFilter> filters, boolean inTime) {
    return series.computeIfAbsent(
        new Sharing(metric, filters, inTime),
        asked -> census.series(metric, filters, inTime ? times : null));
  }

  int bindingsOf(String metric) {
    return bindingsOfMetric.getOrDefault(metric, 0);
  }

  /** The bindings, put together that agree in the first parts of the row key. */
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

  /** The range, widened to the borders of the rows that it touches. */
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

  /** Answers of the census, of which one that is unknown makes all unknown. */
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

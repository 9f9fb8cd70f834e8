package dev.varve.query;

import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The target of query languages: a chain of operators from stored samples to the result. Times and
 * durations are in the resolution of the queried dataset.
 */
public sealed interface QueryPlan {
  /**
   * Reads the samples of the matching series, series by series.
   *
   * @param fields the fields to read; null for all
   * @param versions which of the samples accepted for the same instant to read
   * @param kinds what to do if a series has samples of several kinds at one instant
   * @param newest how many of the newest samples per series suffice, or per series and kind if
   *     kinds are read separately; 0 for all. Samples are still returned in ascending order of time
   * @param wholeTable whether scanning a whole table is allowed
   */
  record Select(
      Selector selector,
      TimeRange times,
      @Nullable Set<String> fields,
      Versions versions,
      Kinds kinds,
      int newest,
      boolean wholeTable)
      implements QueryPlan {
    public static Select of(Selector selector, TimeRange times) {
      return new Select(selector, times, null, Versions.LATEST, Kinds.ONE, 0, false);
    }
  }

  /**
   * Merges all series with the same values of some labels into one, ordered by time, then by value.
   * Numbers and texts stay separate: series of numbers come first.
   *
   * @param labels labels that separate series; a missing label counts as empty. Without labels the
   *     result is at most one series of numbers and one of texts
   * @param descending whether the newest sample comes first, also for the following operators
   * @param perSeries how many samples of each series and kind suffice, from the end that comes
   *     first; 0 for all
   * @param always whether to emit one series without samples and sources if nothing matches, for
   *     operators that create samples from nothing
   */
  record Merge(Select input, List<String> labels, boolean descending, int perSeries, boolean always)
      implements QueryPlan {
    public Merge {
      labels = List.copyOf(labels);
    }

    public Merge(Select input, List<String> labels, boolean descending, int perSeries) {
      this(input, labels, descending, perSeries, false);
    }
  }

  /**
   * Aggregates across series, instant by instant. A result has a sample wherever one of its series
   * has one. Nothing is interpolated, so series are usually downsampled first.
   *
   * @param labels labels that separate groups; a missing label counts as empty
   */
  record GroupBy(QueryPlan input, List<String> labels, Aggregation aggregation)
      implements QueryPlan {
    public GroupBy {
      labels = List.copyOf(labels);
    }
  }

  /**
   * Gives all series of a group a sample at every instant at which one of them has a sample, so
   * that an aggregation across series sees all of them at once. Series come out group by group.
   *
   * @param labels labels that separate groups; a missing label counts as empty
   * @param between the value of a series at an instant at which it has no sample
   */
  record Align(QueryPlan input, List<String> labels, Interpolation between) implements QueryPlan {
    public Align {
      labels = List.copyOf(labels);
    }

    public enum Interpolation {
      /** On the line between its neighbours, a double; none before the first or after the last. */
      LINEAR,
      /** That of its last earlier sample; none before the first. */
      PREVIOUS,
      /** The integer 0, also before the first sample and after the last. */
      ZERO
    }
  }

  /** Splits the samples of a series into parts. Each part is a series, in order of appearance. */
  record Split(QueryPlan input, List<Splitter> by) implements QueryPlan {
    public Split {
      by = List.copyOf(by);
    }
  }

  /**
   * Sorts the samples of each series by time, or the series by their labels or last number. Series
   * without a last number come last.
   *
   * @param descending whether the latest sample, or the series with the largest key, comes first
   */
  record Order(QueryPlan input, By by, boolean descending) implements QueryPlan {
    public enum By {
      TIME,
      LABELS,
      LAST
    }
  }

  /**
   * Keeps the first series, and the first samples of each.
   *
   * @param series maximum number of series; 0 for all
   * @param samples maximum number of samples per series; 0 for all
   */
  record Limit(QueryPlan input, long series, long samples) implements QueryPlan {}

  /** An operator on each series separately. */
  sealed interface PerSeries extends QueryPlan {
    QueryPlan input();
  }

  /**
   * Emits one sample for each non-empty window.
   *
   * @param stamp the time of that sample
   */
  record Downsample(QueryPlan input, Windows windows, Aggregation aggregation, Stamp stamp)
      implements PerSeries {
    public enum Stamp {
      /** The start of the window. */
      START,
      /** The start of the next window. */
      END,
      /** The first sample in the window. */
      FIRST,
      /** The last sample in the window. */
      LAST
    }
  }

  /**
   * Emits one sample for each window that contains samples. A window ends where one of the grid
   * does, and reaches back from there by {@code extent}. Windows overlap if it is longer than the
   * grid's width, and leave samples out if it is shorter.
   *
   * @param windows the grid
   * @param extent length of a window, at least 1
   * @param stamp the time of the sample, on the grid
   */
  record Rolling(QueryPlan input, Windows windows, long extent, Aggregation aggregation, Edge stamp)
      implements PerSeries {
    public Rolling {
      if (extent < 1) {
        throw new IllegalArgumentException("a window is at least 1 long, got " + extent);
      }
    }

    public enum Edge {
      /** The start of the window of the grid. */
      START,
      /** Its end. */
      END
    }
  }

  /**
   * Computes the change from each sample to the next divided by the time between them, at the later
   * time.
   *
   * @param per unit of time of the rate
   * @param counter whether a decrease is a counter reset to zero
   * @param difference false to divide the later value itself instead of the change
   */
  record Rate(QueryPlan input, Span per, boolean counter, boolean difference)
      implements PerSeries {}

  /** Computes the change from each sample to the next, at the later time. */
  record Difference(QueryPlan input) implements PerSeries {}

  /** Multiplies each number, then divides it. */
  record Scale(QueryPlan input, double factor, double divisor) implements PerSeries {}

  /**
   * Computes the mean of the last {@code size} samples, starting when there are that many. Gaps
   * count as samples without a mean: they are an error once there are that many.
   */
  record MovingAverage(QueryPlan input, int size) implements PerSeries {}

  /**
   * Rejects the first sample of a series, in place of an operator that cannot process any sample. A
   * series without samples passes.
   *
   * @param reason the error message
   */
  record Refuse(QueryPlan input, String reason) implements PerSeries {}

  /**
   * Drops samples or gaps at the ends of each series.
   *
   * @param first whether to drop the first one
   * @param last whether to drop the last one
   */
  record Trim(QueryPlan input, boolean first, boolean last) implements PerSeries {}

  /**
   * Drops samples for which the comparison with a number or a text holds, and samples that cannot
   * be compared. A gap is dropped if the operand is a text; comparing it with a number is an error.
   */
  record Drop(
      QueryPlan input, Comparison comparison, @Nullable Double number, @Nullable String text)
      implements PerSeries {
    public enum Comparison {
      LTE,
      LT,
      GTE,
      GT,
      EQUAL,
      NE;

      boolean holds(int order) {
        return switch (this) {
          case LTE -> order <= 0;
          case LT -> order < 0;
          case GTE -> order >= 0;
          case GT -> order > 0;
          case EQUAL -> order == 0;
          case NE -> order != 0;
        };
      }
    }
  }

  /**
   * Counts the thresholds that each number has reached.
   *
   * @param thresholds in ascending order
   * @param inclusive for each threshold, whether a number equal to it has reached it
   * @param descending whether to count the thresholds not reached instead
   */
  record Score(
      QueryPlan input, List<Double> thresholds, List<Boolean> inclusive, boolean descending)
      implements PerSeries {
    public Score {
      thresholds = List.copyOf(thresholds);
      inclusive = List.copyOf(inclusive);
    }
  }

  /**
   * Passes samples on and adds a gap for each window without samples.
   *
   * @param from a time in the first window; null to start at the first sample
   * @param to a time in the last window; null to end with the last sample
   */
  record Gaps(QueryPlan input, Windows windows, @Nullable Long from, @Nullable Long to)
      implements PerSeries {
    /** Maximum number of gaps per series; each one is written out. */
    public static final int MAX = 10_000_000;

    /**
     * Returns whether there are more than {@link #MAX} windows, so that a series without samples
     * gets too many gaps. Returns false if the first and the last sample of a series determine the
     * windows.
     */
    public boolean isTooLong() {
      return from != null
          && to != null
          && windows.leastBetween(windows.startOf(from), windows.startOf(to)) >= MAX;
    }
  }

  /**
   * Passes everything on, and also gives it to a receiver of the run.
   *
   * @param receiver index among the receivers of the run
   */
  record Copy(QueryPlan input, int receiver) implements PerSeries {}

  /**
   * Applies an operator to series of numbers and passes series of texts on unchanged; the operator
   * alone would reject texts.
   */
  record Numbers(PerSeries operator) implements QueryPlan {}

  /** Assigns samples to the parts of a {@link Split}. */
  sealed interface Splitter {
    /** {@code ((time - start) / width) % count}. */
    record ByTime(long start, long width, int count) implements Splitter {}

    /** The calendar months from {@code start} to the sample in UTC, modulo {@code count}. */
    record ByMonth(long start, Resolution resolution, int count) implements Splitter {}

    /** The number divided by {@code size}, truncated to an integer; -1 for a text. */
    record ByValue(long size) implements Splitter {}

    /** The index of the first bin that is greater than the number; -1 for a text. */
    record ByBin(List<Double> bins) implements Splitter {
      public ByBin {
        bins = List.copyOf(bins);
      }
    }
  }

  /** Returns the input of a plan; null for a selection. */
  private static @Nullable QueryPlan inputOf(QueryPlan plan) {
    return switch (plan) {
      case Select _ -> null;
      case Merge merge -> merge.input();
      case GroupBy group -> group.input();
      case Align align -> align.input();
      case Split split -> split.input();
      case Order order -> order.input();
      case Limit limit -> limit.input();
      case Numbers numbers -> numbers.operator().input();
      case PerSeries operator -> operator.input();
    };
  }

  /** Returns the selection at the bottom of a plan. */
  static Select selectionOf(QueryPlan plan) {
    QueryPlan input = inputOf(plan);
    return input == null ? (Select) plan : selectionOf(input);
  }

  /** Returns the operator that starts a plan: the merge, which reads its selection, or that. */
  static QueryPlan sourceOf(QueryPlan plan) {
    Merge merge = mergeOf(plan);
    return merge == null ? selectionOf(plan) : merge;
  }

  /** Returns the merge in a plan; null if there is none. */
  static @Nullable Merge mergeOf(QueryPlan plan) {
    for (QueryPlan node = plan; node != null; node = inputOf(node)) {
      if (node instanceof Merge merge) {
        return merge;
      }
    }
    return null;
  }
}

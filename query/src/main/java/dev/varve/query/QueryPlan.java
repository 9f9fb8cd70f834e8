package dev.varve.query;

import dev.varve.engine.ReadRequest.Kinds;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What every query language compiles to: a chain of operators from samples as they are stored to
 * the result. Times and lengths are in the resolution of the dataset that is queried.
 */
public sealed interface QueryPlan {
  /**
   * The samples of the series that match, series by series.
   *
   * @param fields the fields wanted; null for all
   * @param versions which of the samples that were accepted for one instant
   * @param kinds what to do where one series has samples of several kinds at one instant
   * @param newest how many of the newest samples of each series, and of each kind where kinds are
   *     read apart, suffice; 0 for all. They are handed on in the order of time all the same
   * @param wholeTable whether a whole table may be scanned
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
   * All series with the same values of some labels as one: their samples side by side in the order
   * of time, then of value. Numbers and texts stay apart: numbers come first.
   *
   * @param labels by which series are kept apart; one that a series does not carry counts as empty.
   *     Without labels there is one series of numbers and one of texts at most
   * @param descending whether the newest sample comes first, for what follows as well
   * @param perSeries how many samples of each series and kind are enough, from the end that comes
   *     first; 0 for all
   * @param always whether to hand on one series without samples and sources where nothing matches,
   *     for operators that make samples of nothing
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
   * Aggregates across series, instant by instant: a result has a sample wherever one of its series
   * has one. Nothing is interpolated, so that series usually are downsampled first.
   *
   * @param labels by which series are kept apart; one that a series does not carry counts as empty
   */
  record GroupBy(QueryPlan input, List<String> labels, Aggregation aggregation)
      implements QueryPlan {
    public GroupBy {
      labels = List.copyOf(labels);
    }
  }

  /** Samples apart by what they are; each part a series of its own, in order of appearance. */
  record Split(QueryPlan input, List<Splitter> by) implements QueryPlan {
    public Split {
      by = List.copyOf(by);
    }
  }

  /**
   * Brings into order. By time within each series, or the series themselves by their labels or by
   * their last number; what has no last number comes last.
   */
  record Order(QueryPlan input, By by, boolean descending) implements QueryPlan {
    public enum By {
      TIME,
      LABELS,
      LAST
    }
  }

  /**
   * Keeps the first series, and of each the first samples.
   *
   * @param series how many; 0 for all
   * @param samples how many of each; 0 for all
   */
  record Limit(QueryPlan input, long series, long samples) implements QueryPlan {}

  /** An operator on each series for itself. */
  sealed interface PerSeries extends QueryPlan {
    QueryPlan input();
  }

  /**
   * One sample for each window that holds any.
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
   * The change from each sample to the next over the time between them, at the later one.
   *
   * @param per the change is given per this much time
   * @param counter whether a fall is the reset of a counter to zero
   * @param difference false to divide the later value itself instead of the change
   */
  record Rate(QueryPlan input, Span per, boolean counter, boolean difference)
      implements PerSeries {}

  /** The change from each sample to the next, at the later one. */
  record Difference(QueryPlan input) implements PerSeries {}

  /** Multiplies each number, then divides it. */
  record Scale(QueryPlan input, double factor, double divisor) implements PerSeries {}

  /** The mean of so many samples, from the first that has so many. */
  record MovingAverage(QueryPlan input, int size) implements PerSeries {}

  /**
   * Refuses the first sample of a series, where the operator that stands here cannot work on any.
   * Without samples nothing is wrong.
   *
   * @param reason what to say then
   */
  record Refuse(QueryPlan input, String reason) implements PerSeries {}

  /** Drops the first sample or gap, the last, or both. */
  record Trim(QueryPlan input, boolean first, boolean last) implements PerSeries {}

  /**
   * Drops the samples that compare so with a number or a text, and those that cannot. A gap is no
   * text and dropped by one, and cannot be compared with a number.
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
   * How many thresholds each number has reached.
   *
   * @param thresholds in rising order
   * @param inclusive for each whether a number equal to it has reached it
   * @param descending whether to give how many it has not reached instead
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
   * Passes samples on and puts a gap into each window that holds none.
   *
   * @param from a time in the first window; null to begin at the first sample
   * @param to a time in the last window; null to end with the last sample
   */
  record Gaps(QueryPlan input, Windows windows, @Nullable Long from, @Nullable Long to)
      implements PerSeries {}

  /**
   * An operator for series of numbers, which series of texts pass by as they are, where else they
   * would be refused.
   */
  record Numbers(PerSeries operator) implements QueryPlan {}

  /** Which part of a {@link Split} a sample belongs to. */
  sealed interface Splitter {
    /** {@code ((time - start) / width) % count}. */
    record ByTime(long start, long width, int count) implements Splitter {}

    /** The calendar months from {@code start} to the sample in UTC, modulo {@code count}. */
    record ByMonth(long start, dev.varve.model.Resolution resolution, int count)
        implements Splitter {}

    /** The number divided by {@code size}, cut to a whole one; -1 for a text. */
    record ByValue(long size) implements Splitter {}

    /** The first bin that the number is below, counted from 0; -1 for a text. */
    record ByBin(List<Double> bins) implements Splitter {
      public ByBin {
        bins = List.copyOf(bins);
      }
    }
  }

  /** The plan whose result this one works on; null of a selection. */
  private static @Nullable QueryPlan inputOf(QueryPlan plan) {
    return switch (plan) {
      case Select _ -> null;
      case Merge merge -> merge.input();
      case GroupBy group -> group.input();
      case Split split -> split.input();
      case Order order -> order.input();
      case Limit limit -> limit.input();
      case Numbers numbers -> numbers.operator().input();
      case PerSeries operator -> operator.input();
    };
  }

  /** What the samples of a plan are read by. */
  static Select selectionOf(QueryPlan plan) {
    QueryPlan input = inputOf(plan);
    return input == null ? (Select) plan : selectionOf(input);
  }

  /** What merges the series of a plan; null where nothing does. */
  static @Nullable Merge mergeOf(QueryPlan plan) {
    for (QueryPlan node = plan; node != null; node = inputOf(node)) {
      if (node instanceof Merge merge) {
        return merge;
      }
    }
    return null;
  }
}

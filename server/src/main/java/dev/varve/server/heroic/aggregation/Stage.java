package dev.varve.server.heroic.aggregation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** An aggregation whose sizes are known. */
public sealed interface Stage {
  /** Every series as it is. */
  record Collect() implements Stage {}

  /**
   * Buckets of points.
   *
   * @param size distance in ms
   * @param extent length in ms
   */
  record Buckets(Fold fold, long size, long extent) implements Stage {}

  /** A rule for the points of each series. */
  record Map(Rule.OfPoints rule) implements Stage {}

  /** A rule that chooses among series. */
  record Choose(Rule.OfSeries rule) implements Stage {}

  /**
   * Groups.
   *
   * @param of names; null for all names
   * @param collapses whether series of a group may differ in the names; otherwise they share them
   */
  record Grouping(@Nullable List<String> of, boolean collapses, Stage each) implements Stage {}

  /** Stages one after another. */
  record Sequence(List<Stage> stages) implements Stage {
    public Sequence {
      stages = List.copyOf(stages);
    }
  }

  /**
   * Returns the distance of the points that it makes, in ms; 0 if points keep their own times, -1
   * if it is unknown.
   */
  default long cadence() {
    return switch (this) {
      case Collect _ -> 0;
      case Buckets buckets -> buckets.size();
      case Map(Rule.Points _) -> 0;
      case Map _ -> -1;
      case Choose _ -> -1;
      case Grouping grouping -> grouping.each().cadence();
      case Sequence sequence -> {
        long last = -1;
        for (Stage stage : sequence.stages()) {
          last = stage.cadence() >= 0 ? stage.cadence() : last;
        }
        yield last;
      }
    };
  }

  /** Returns the names that earlier stages must keep. */
  default List<String> requiredTags() {
    return switch (this) {
      case Grouping grouping -> grouping.of() == null ? List.of() : grouping.of();
      case Sequence sequence -> sequence.stages().getFirst().requiredTags();
      case Collect _ -> List.of();
      case Buckets _ -> List.of();
      case Map _ -> List.of();
      case Choose _ -> List.of();
    };
  }

  /** Returns whether it begins with the digests of distributions. */
  default boolean readsDistributions() {
    return switch (this) {
      case Buckets buckets -> buckets.fold() == Fold.Basic.TDIGEST;
      case Grouping grouping -> grouping.each().readsDistributions();
      case Sequence sequence -> sequence.stages().getFirst().readsDistributions();
      case Collect _ -> false;
      case Map _ -> false;
      case Choose _ -> false;
    };
  }

  /** Returns whether its number of points follows from the range alone. */
  default boolean isDeterministic() {
    return switch (this) {
      case Buckets _ -> true;
      case Sequence sequence -> sequence.stages().getLast().isDeterministic();
      case Grouping _ -> false;
      case Collect _ -> false;
      case Map _ -> false;
      case Choose _ -> false;
    };
  }

  /** Returns all buckets inside. */
  default List<Buckets> buckets() {
    return switch (this) {
      case Buckets buckets -> List.of(buckets);
      case Grouping grouping -> grouping.each().buckets();
      case Sequence sequence ->
          sequence.stages().stream().flatMap(stage -> stage.buckets().stream()).toList();
      case Collect _ -> List.of();
      case Map _ -> List.of();
      case Choose _ -> List.of();
    };
  }
}

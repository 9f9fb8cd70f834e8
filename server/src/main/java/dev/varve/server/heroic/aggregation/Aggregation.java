package dev.varve.server.heroic.aggregation;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An aggregation as a query states it; sizes may be missing. */
public sealed interface Aggregation {
  /** Collects points, series by series. */
  record Empty() implements Aggregation {}

  /**
   * Folds the points of buckets.
   *
   * @param size distance of the buckets in ms; null to inherit it
   * @param extent length of the buckets in ms; null to inherit it
   */
  record Sampled(Fold fold, @Nullable Long size, @Nullable Long extent) implements Aggregation {}

  record Mapped(Rule.OfPoints rule) implements Aggregation {}

  record Chosen(Rule.OfSeries rule) implements Aggregation {}

  /**
   * Aggregates groups.
   *
   * @param of tags and resource identifiers that a group shares; null for all, empty for none
   */
  record Group(@Nullable List<String> of, Aggregation each) implements Aggregation {}

  /**
   * Aggregates groups that share everything but some names.
   *
   * @param of the names; null for all, empty for none
   */
  record Collapse(@Nullable List<String> of, Aggregation each) implements Aggregation {}

  record Chain(List<Aggregation> chain) implements Aggregation {
    public Chain {
      chain = List.copyOf(chain);
    }
  }

  /** Sets the size and extent of the inner aggregation, in ms; null keeps the inherited one. */
  record Opts(@Nullable Long size, @Nullable Long extent, Aggregation of) implements Aggregation {}

  /**
   * The settings that an aggregation inherits. Sizes are in ms.
   *
   * @param size null if no options set it
   * @param extent null if no options set it
   * @param defaultSize used if nothing sets a size
   * @param required names that later parts of a chain group by
   */
  record Around(
      @Nullable Long size, @Nullable Long extent, long defaultSize, Set<String> required) {
    /** Returns the settings of a query that spans some time, in ms. */
    public static Around query(long span) {
      return new Around(null, null, Cadence.of(span), Set.of());
    }
  }

  /** Returns the aggregation with all its sizes. */
  default Stage in(Around around) {
    return switch (this) {
      case Empty empty -> new Stage.Collect();
      case Sampled(Fold fold, Long own, Long ownExtent) -> {
        long size =
            own != null ? own : around.size() != null ? around.size() : around.defaultSize();
        Long extent = ownExtent != null ? ownExtent : own != null ? own : around.extent();
        yield new Stage.Buckets(fold, size, extent == null ? size : extent);
      }
      case Mapped(Rule.OfPoints rule) -> new Stage.Map(rule);
      case Chosen(Rule.OfSeries rule) -> new Stage.Choose(rule);
      case Group(List<String> of, Aggregation each) ->
          new Stage.Grouping(with(of, around.required()), false, each.in(around));
      case Collapse(List<String> of, Aggregation each) ->
          new Stage.Grouping(with(of, around.required()), true, each.in(around));
      case Chain chain -> chain(chain.chain(), around);
      case Opts(Long size, Long extent, Aggregation of) ->
          of.in(
              new Around(
                  size == null ? around.size() : size,
                  extent == null ? around.extent() : extent,
                  around.defaultSize(),
                  around.required()));
    };
  }

  private static @Nullable List<String> with(@Nullable List<String> of, Set<String> required) {
    if (of == null) {
      return null;
    }
    Set<String> names = new LinkedHashSet<>(of);
    names.addAll(required);
    return List.copyOf(names);
  }

  /** Resolves a chain from its end, since later groups need tags of earlier ones. */
  private static Stage chain(List<Aggregation> chain, Around around) {
    List<Stage> stages = new ArrayList<>();
    Set<String> required = new LinkedHashSet<>();
    Around current = around;
    for (Aggregation aggregation : chain.reversed()) {
      Stage stage = aggregation.in(current);
      required.addAll(stage.requiredTags());
      current =
          new Around(
              around.size(), around.extent(), around.defaultSize(), new LinkedHashSet<>(required));
      if (stage instanceof Stage.Sequence(List<Stage> inner)) {
        stages.addAll(0, inner);
      } else {
        stages.addFirst(stage);
      }
    }
    return stages.size() == 1 ? stages.getFirst() : new Stage.Sequence(stages);
  }
}

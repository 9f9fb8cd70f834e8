package dev.varve.server.opentsdb.query;

import dev.varve.layout.opentsdb.RollupConfig;
import dev.varve.layout.opentsdb.RollupInterval;
import dev.varve.server.opentsdb.aggregator.Aggregator;
import dev.varve.server.opentsdb.query.Source.RolledUp;
import dev.varve.server.opentsdb.rollup.Rollups;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses between points and roll-ups. The roll-ups of the longest interval that divides the
 * downsampling's are read; a query chooses the fallback if there are none.
 */
public record Sources(Rollups rollups) {
  private static final String AVG = "avg";
  static final String SUM = "sum";
  static final String COUNT = "count";

  /** The use of roll-ups by a query, and its fallback if there are none. */
  private enum Usage {
    /** Reads points, never roll-ups. */
    ROLLUP_RAW,
    ROLLUP_NOFALLBACK,
    /** Falls back to the roll-ups of the next shorter interval, and finally to points. */
    ROLLUP_FALLBACK,
    ROLLUP_FALLBACK_RAW
  }

  /** Returns OpenTSDB's word for a usage; an unknown one is the default. */
  static String usage(String given) {
    for (Usage usage : Usage.values()) {
      if (usage.name().equalsIgnoreCase(given)) {
        return usage.name();
      }
    }
    return Usage.ROLLUP_NOFALLBACK.name();
  }

  /**
   * Returns the sources that a sub query tries until one of them has series.
   *
   * @throws OpenTsdbError 400 if the roll-ups of its aggregator are not kept; as in OpenTSDB, 500
   *     if it downsamples to less than a second
   */
  List<Source> of(TsQuery.Part part) {
    RollupConfig config = rollups.config();
    boolean ofPreAggregates = ofPreAggregates(part.sub(), config);
    if (config == null) {
      if (ofPreAggregates) {
        throw OpenTsdbError.amid("No rollup or aggregations were configured");
      }
      return List.of(Source.of(rollups.dataset(), part));
    }
    Source points = points(part, ofPreAggregates, config);
    Usage usage =
        part.sub().rollupUsage() == null
            ? Usage.ROLLUP_NOFALLBACK
            : Usage.valueOf(usage(part.sub().rollupUsage()));
    Downsampling spec = part.downsampling();
    if (usage == Usage.ROLLUP_RAW || spec == null || spec.isWhole()) {
      return List.of(points);
    }
    List<RollupInterval> intervals = dividing(spec.interval() / 1000, config);
    if (intervals.isEmpty() || intervals.getFirst().raw()) {
      return List.of(points);
    }
    TsQuery.Part summed = summed(part);
    List<Source> tried = new ArrayList<>();
    RollupInterval last = intervals.getFirst();
    for (RollupInterval interval : intervals) {
      boolean another = tried.isEmpty() || usage == Usage.ROLLUP_FALLBACK;
      if (interval.raw() || !another) {
        break;
      }
      tried.add(rolledUp(summed, spec, interval, ofPreAggregates, config));
      last = interval;
    }
    boolean endsInPoints =
        usage == Usage.ROLLUP_FALLBACK_RAW
            || (usage == Usage.ROLLUP_FALLBACK && intervals.stream().anyMatch(RollupInterval::raw));
    if (endsInPoints) {
      tried.add(points(summed.with(downsampling(spec, last)), ofPreAggregates, config));
    }
    return tried;
  }

  private static boolean ofPreAggregates(SubQuery sub, @Nullable RollupConfig config) {
    return sub.preAggregate()
        || (config != null
            && !sub.hasTsuids()
            && sub.filters().stream()
                .anyMatch(filter ->
                    ValueFilter.LITERALS.contains(filter.type())
                        && filter.tagk().equals(RollupConfig.AGGREGATE_TAG)
                        && !filter.filter().equals(RollupConfig.RAW)));
  }

  private Source points(TsQuery.Part part, boolean ofPreAggregates, RollupConfig config) {
    return new Source(
        rollups.dataset(),
        ofPreAggregates ? rollups.preAggregates(config.raw()) : rollups.dataset(),
        part,
        null,
        rollups);
  }

  private Source rolledUp(
      TsQuery.Part part,
      Downsampling spec,
      RollupInterval interval,
      boolean ofPreAggregates,
      RollupConfig config) {
    String aggregator = stored(spec.aggregator().name());
    Set<String> fields = aggregator.equals(AVG) ? Set.of(SUM, COUNT) : Set.of(aggregator);
    for (String field : fields.stream().sorted(Comparator.reverseOrder()).toList()) {
      if (!config.aggregations().containsKey(field)) {
        throw OpenTsdbError.amid("No ID found mapping to aggregator: " + field);
      }
    }
    return new Source(
        rollups.dataset(),
        ofPreAggregates ? rollups.preAggregates(interval) : rollups.of(interval),
        part,
        new RolledUp(interval, fields),
        rollups);
  }

  /** Returns the aggregator whose roll-ups an aggregator reads. */
  private static String stored(String aggregator) {
    return switch (aggregator) {
      case "zimsum" -> SUM;
      case "mimmax" -> "max";
      case "mimmin" -> "min";
      default -> aggregator;
    };
  }

  /** Returns the intervals that divide a number of seconds, the longest first. */
  private static List<RollupInterval> dividing(long seconds, RollupConfig config) {
    if (seconds <= 0) {
      throw new OpenTsdbError(500, "Interval cannot be null or empty");
    }
    return config.intervals().stream()
        .filter(interval -> seconds % interval.seconds() == 0)
        .sorted(Comparator.comparingLong(RollupInterval::seconds).reversed())
        .toList();
  }

  /** Returns a sub query that adds counts, where it would count them. */
  private static TsQuery.Part summed(TsQuery.Part part) {
    Aggregator sum = Aggregator.of(SUM);
    return sum != null && part.aggregator().name().equals(COUNT) ? part.with(sum) : part;
  }

  /** Returns the downsampling of points after roll-ups were not found, which has their interval. */
  private static Downsampling downsampling(Downsampling spec, RollupInterval interval) {
    Aggregator aggregator = Aggregator.of(stored(spec.aggregator().name()));
    return new Downsampling(
        1000 * interval.seconds(),
        interval.text(),
        aggregator == null ? spec.aggregator() : aggregator,
        spec.fill(),
        false);
  }
}
